"""What a person asks of finished releases."""
