"""Loss against privacy: a grid of policy parameters, every point with its proven bound."""
