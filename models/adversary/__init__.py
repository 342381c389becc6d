"""What someone who holds all releases can conclude."""
