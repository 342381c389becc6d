"""Histories kept in a database: SQLite in one file, or any SQLAlchemy URL.

`History.open` is the way in; `opening` registers it without loading a database library.
"""
