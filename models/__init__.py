"""What is asked: data, requirements, losses. Nothing here searches."""

from . import hierarchies as hierarchies
