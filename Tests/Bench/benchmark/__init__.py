"""The benchmark: programs run in turn, ratios pair by pair, one table."""
