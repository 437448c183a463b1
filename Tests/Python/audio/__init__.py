"""Audio frames, streams of audio, what is mixed and what is in sync."""
