"""Trace Control Interface 1.0: the register table and models of what stands behind the registers."""
