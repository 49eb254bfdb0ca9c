"""One hart with all five witnesses: N-Trace, E-Trace, tandem trace, control transfer records and counters."""
