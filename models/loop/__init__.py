"""Counters, SBI PMU and control transfer records on one hart."""
