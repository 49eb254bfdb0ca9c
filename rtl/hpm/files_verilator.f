rtl/hpm/hpm_assert.sv
rtl/hpm/hpm_counter_assert.sv
