"""How a problem is answered: engines, results, and what a person asks afterwards."""
