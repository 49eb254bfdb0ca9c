// Sources of trace_subsystem behind those of rtl/ntrace, rtl/etrace, rtl/tci, rtl/tandem, rtl/hpm and rtl/ctr, in order of compilation.
rtl/common/csr_groups.sv
rtl/subsystem/subsystem_pkg.sv
rtl/subsystem/subsystem_layout_pkg.sv
rtl/subsystem/subsystem_compact.sv
rtl/subsystem/subsystem_adapter.sv
rtl/subsystem/subsystem_tandem_regs.sv
rtl/subsystem/trace_subsystem.sv
