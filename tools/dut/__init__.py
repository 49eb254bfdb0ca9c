"""An IP that is put on the stand: its description (dut.toml), its ports, the wrapper around it, and what applies to it."""
