"""Control transfer records (Smctr/Ssctr): configuration, register table, records, reference model."""
