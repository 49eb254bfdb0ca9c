rtl/common/csr_pkg.sv
rtl/common/csr_access.sv
rtl/hpm/hpm_reg_pkg.sv
rtl/hpm/hpm_pkg.sv
rtl/hpm/hpm_counter.sv
rtl/hpm/hpm_event.sv
rtl/hpm/hpm_csr.sv
rtl/hpm/hpm.sv
