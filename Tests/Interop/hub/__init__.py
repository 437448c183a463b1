"""A call over a hub."""
