"""Bounds by leaving requirements out, releases by repair: for policies no engine can search as a whole."""
