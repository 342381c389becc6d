"""Full-domain recoding: levels of the hierarchies as variables, optimal over the whole lattice."""
