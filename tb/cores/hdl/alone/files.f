build/rows/cores_rows.sv
tb/common/hdl/row_recorder.sv
tb/cores/hdl/core_memory.sv
tb/cores/hdl/core_run.sv
tb/cores/hdl/alone/core_alone_tb.sv
