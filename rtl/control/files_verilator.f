rtl/control/trace_control_assert.sv
