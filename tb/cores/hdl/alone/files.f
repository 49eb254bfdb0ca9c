tb/cores/hdl/cores_row_pkg.sv
tb/cores/hdl/cores_rvfi_join.sv
tb/cores/hdl/cores_trap_join.sv
tb/common/hdl/row_recorder.sv
tb/cores/hdl/core_memory.sv
tb/cores/hdl/core_run.sv
tb/cores/hdl/alone/core_alone_tb.sv
