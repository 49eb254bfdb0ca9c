tb/hdl/ready_source.sv
tb/hdl/trace_player.sv
tb/hdl/trace_recorder.sv
tb/hdl/row_recorder.sv
tb/hdl/noise_source.sv
tb/hdl/tandem_tb.sv
