build/rows/tandem_rows.sv
tb/common/hdl/ready_source.sv
tb/common/hdl/trace_player.sv
tb/common/hdl/trace_recorder.sv
tb/common/hdl/row_recorder.sv
tb/common/hdl/noise_source.sv
tb/tandem/hdl/tandem_tb.sv
