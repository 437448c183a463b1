"""Sessions and the rooms that they join: in one process, over a hub, over RTP."""
