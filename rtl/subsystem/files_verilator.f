rtl/subsystem/subsystem_assert.sv
