"""The testbench: pyuvm agents, environments, sequences and coverage around the simulated encoder."""
