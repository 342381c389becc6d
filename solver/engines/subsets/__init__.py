"""Small tables, exactly and without a solver: the program over all sets of tuples, or all groupings."""
