"""The reference engine: one CP-SAT model of tuples assigned to groups; every requirement, small tables."""
