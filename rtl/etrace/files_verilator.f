rtl/etrace/etrace_assert.sv
