"""Hardware performance counters: configuration, register table, reference model, rows. What they do: docs/hpm-profile.md."""
