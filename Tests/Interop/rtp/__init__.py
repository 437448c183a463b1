"""Plain RTP, protected and not, with what others wrote."""
