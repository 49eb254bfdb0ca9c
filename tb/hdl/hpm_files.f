tb/hdl/trace_player.sv
tb/hdl/row_recorder.sv
tb/hdl/noise_source.sv
tb/hdl/hpm_tb.sv
