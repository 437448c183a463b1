"""A call in a served room."""
