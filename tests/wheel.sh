#!/bin/bash
# Build sdist and wheel, install the wheel into an empty venv, and do the main job and the lessons there, away from the source tree.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd); tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python -m build --no-isolation --outdir "$tmp/dist" "$root" >"$tmp/build.log" 2>&1 || { cat "$tmp/build.log"; exit 1; }
ls "$tmp"/dist/*.whl "$tmp"/dist/*.tar.gz
python -m venv "$tmp/v"
"$tmp/v/bin/pip" install -q "$tmp"/dist/*.whl
cd "$tmp"
"$tmp/v/bin/python" -c "import lmcsurgery; assert 'site-packages' in lmcsurgery.__file__, lmcsurgery.__file__"
"$tmp/v/bin/lmcsurgery" demo | tail -1
mkdir w; cp -r "$root/nbs" "$root/pyproject.toml" "$root/settings.ini" w; cd w
"$tmp/v/bin/pip" install -q nbdev pillow markdown-it-py pygments
"$tmp/v/bin/nbdev-test"
