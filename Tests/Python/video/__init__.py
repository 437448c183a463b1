"""Frames, streams of video, screen shares, views."""
