"""Where solvers are set up."""
