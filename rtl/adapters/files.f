// Sources of the adapters after rtl/common/trace_pkg.sv and rtl/tandem/tandem_table_pkg.sv, in order of compilation.
rtl/adapters/rvfi_pkg.sv
rtl/adapters/rvfi_decode.sv
rtl/adapters/rvfi_hart_port.sv
rtl/adapters/hart_ingress_port.sv
