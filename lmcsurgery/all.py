"""All public names: `from lmcsurgery.all import *`. Written by hand, as is `__init__.py`; everything else comes from the notebooks."""
from .message import *
from .dialog import *
from .hist import *
from .chat import *
from .reply import *
from .lmc import *
from .ipynb import *
from .wire import *
from .wire_check import *
from .fit import *
from .payload import *
from .openai_wire import *
from .anthropic_wire import *
from .gemini_wire import *
from .lmcwire import *
from .wire_dlg import *
from .cli import *
