"""All public names: `from lmcsurgery.all import *`. Written by hand, as is `__init__.py`; everything else comes from the notebooks."""
from .message import *
from .dialog import *
from .hist import *
from .chat import *
from .reply import *
from .lmc import *
from .stream import *
from .files import *
from .play import *
from .ipynb import *
from .display import *
from .diff import *
from .cli import *
