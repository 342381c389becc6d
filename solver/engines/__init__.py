"""Engines: each turns a problem into an answer that can be checked."""
