"The fields that pyproject.toml calls dynamic, read from settings.ini"
from configparser import ConfigParser
from pathlib import Path
from setuptools import setup

cp = ConfigParser(delimiters=['='])
cp.read(Path(__file__).with_name('settings.ini'), encoding='utf-8')
cfg = cp['DEFAULT']

setup(
    keywords=cfg['keywords'].split(),
    classifiers=[f"Development Status :: {cfg['status']}", f"Intended Audience :: {cfg['audience']}",
        'Programming Language :: Python :: 3', 'Programming Language :: Python :: 3 :: Only', 'Programming Language :: Python :: 3.11', 'Programming Language :: Python :: 3.12'],
    install_requires=cfg['requirements'].split(),
    extras_require={k: cfg[f'{k}_requirements'].split() for k in ('images','display','dev','docs','wire')},
    entry_points=dict(nbdev=['lmcsurgery=lmcsurgery._modidx:d'], console_scripts=cfg['console_scripts'].split()),
)
