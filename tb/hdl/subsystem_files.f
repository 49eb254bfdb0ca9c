tb/hdl/ready_source.sv
tb/hdl/trace_player.sv
tb/hdl/row_recorder.sv
tb/hdl/stream_recorder.sv
tb/hdl/noise_source.sv
tb/hdl/subsystem_tb.sv
