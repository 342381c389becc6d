"""A self-contained page about one release: what was published, what it cost, what it still risks."""
