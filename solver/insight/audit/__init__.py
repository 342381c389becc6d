"""What published releases give away, and to whom."""
