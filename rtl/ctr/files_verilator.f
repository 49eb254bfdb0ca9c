rtl/ctr/ctr_assert.sv
rtl/ctr/ctr_record_assert.sv
