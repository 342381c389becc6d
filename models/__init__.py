"""What is asked: data, requirements, losses. Nothing here searches."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach(__name__, submodules=["hierarchies"])
