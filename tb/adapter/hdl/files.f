build/rows/adapter_rows.sv
tb/common/hdl/trace_player.sv
tb/common/hdl/row_recorder.sv
tb/common/hdl/run_control.sv
tb/common/hdl/ready_source.sv
tb/adapter/hdl/adapter_tb.sv
