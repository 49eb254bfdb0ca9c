rtl/common/trace_pkg.sv
rtl/ntrace/ntrace_pkg.sv
rtl/common/trace_fifo_multi.sv
rtl/ntrace/ntrace_lane.sv
rtl/ntrace/ntrace_event.sv
rtl/ntrace/ntrace_field.sv
rtl/ntrace/ntrace_packer.sv
rtl/ntrace/ntrace_encoder.sv
