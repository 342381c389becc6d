"""What is asked: data, requirements, losses. Nothing here searches."""
