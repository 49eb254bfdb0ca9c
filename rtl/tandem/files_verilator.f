rtl/tandem/tandem_assert.sv
