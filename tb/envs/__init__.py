"""Environments and the entry module of the simulator process."""
