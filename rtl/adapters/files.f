// Sources of the adapters, with the packages that they need, in order of compilation.
rtl/common/trace_pkg.sv
rtl/tandem/tandem_table_pkg.sv
rtl/adapters/rvfi_pkg.sv
rtl/adapters/rvfi_layout_pkg.sv
rtl/adapters/rvfi_decode.sv
rtl/adapters/rvfi_hart_port.sv
rtl/adapters/hart_ingress_port.sv
