rtl/ntrace/ntrace_assert.sv
