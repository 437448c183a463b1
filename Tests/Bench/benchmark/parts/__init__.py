"""The parts of the benchmark: each measures one subject and adds its rows to the table."""
