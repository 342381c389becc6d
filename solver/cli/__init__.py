"""The command line: ``optanon init | solve | check | verify | audit | history | ...``.

What a command can be asked is declared in ``commands``, in dataclasses that load nothing; what it then does
is in the modules beside, which are imported when the command is called. So help need not wait for engines.
"""

from .loading import loading

__all__ = ["main"]


def main() -> None:
    """Run the command line; see `app.main`."""
    with loading():
        from .app import main as run  # the library of command lines takes its time

    run()
