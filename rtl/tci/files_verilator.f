rtl/tci/trace_control_assert.sv
