"""What each command can be asked: fields are arguments and options, the docstring is the help.

Nothing of this library is imported here but other declarations.
"""
