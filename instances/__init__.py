"""With what: readers, problem files, shipped instances, generators, real data sets."""
