"""``python -m optanon`` is the command line."""

from optanon.solver.cli import main

main()
