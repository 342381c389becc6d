"""Seconds that commands and functions take unless told otherwise.

A file of its own: the command line says them in its help, and loads nothing for it.
"""

__all__ = ["AUDIT_SECONDS", "SOLVE_SECONDS", "VERIFY_SECONDS"]

AUDIT_SECONDS = 60.0
"""Time for the audit of a series before a release is appended."""
VERIFY_SECONDS = 120.0
"""What takes longer to derive is said to rest on somebody's word."""
SOLVE_SECONDS = 300.0
"""Time for one release on the command line; the Python function has no limit of its own."""
