"""Sessions and the rooms that they join: in one process, served over the network, over RTP."""
