"""The SBI PMU extension (SBI 3.0, chapter Performance Monitoring Unit, EID 0x504D55) on top of counters: docs/sbi-pmu.md."""
