"""A local web page over the same functions as the command line; nothing leaves the machine."""
