tb/ctr/hdl/ctr_row_pkg.sv
tb/ctr/hdl/ctr_stimulus_split.sv
tb/ctr/hdl/ctr_recorded_join.sv
tb/common/hdl/trace_player.sv
tb/common/hdl/row_recorder.sv
tb/common/hdl/noise_source.sv
tb/ctr/hdl/ctr_tb.sv
