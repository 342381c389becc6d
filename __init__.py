"""optanon: provably optimal, attack-checked anonymization of tables that are released again and again.

The public names and their homes are listed in ``__init__.pyi``; a name is loaded when it is first used.
"""

import lazy_loader as _lazy

from .models import backend as _backend

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
__all__ += ["__version__"]


def _solver_backend() -> _backend.Backend:
    from .solver.backends.for_models import solver_backend

    return solver_backend()


_backend.provide(_solver_backend)
