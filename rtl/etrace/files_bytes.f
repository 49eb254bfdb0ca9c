rtl/etrace/etrace_pkg.sv
rtl/etrace/etrace_packer.sv
rtl/etrace/etrace_transport.sv
