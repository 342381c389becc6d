"""Tables, problems and series that several tests ask about, and what is asked of their answers."""
