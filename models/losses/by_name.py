"""Losses by name: those of the package, which are registered with it, and of plug-ins."""

from collections.abc import Mapping

from ..errors import PolicyError
from ..loss import Loss, known_losses
from ..plugins import plug_in

__all__ = ["loss", "losses"]


def losses() -> Mapping[str, Loss]:
    """Every registered loss by name."""
    return dict(known_losses())


def loss(name: str) -> Loss:
    """Look up a loss.

    Raises
    ------
    PolicyError
        If there is no loss of that name.
    """
    known = known_losses()
    if name not in known:
        plug_in()
    if name not in known:
        raise PolicyError(f"unknown loss {name!r}: known are {', '.join(sorted(known))}")
    return known[name]
