"""What would be known if some respondents were compromised."""
