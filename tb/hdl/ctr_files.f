tb/hdl/trace_player.sv
tb/hdl/row_recorder.sv
tb/hdl/noise_source.sv
tb/hdl/ctr_tb.sv
