"""Which groups may be needed, read from a policy and what was published before."""
