"""Instances of plugins, and classes written in Python."""
