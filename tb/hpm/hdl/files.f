tb/hpm/hdl/hpm_row_pkg.sv
tb/hpm/hdl/hpm_stimulus_split.sv
tb/hpm/hdl/hpm_recorded_join.sv
tb/common/hdl/trace_player.sv
tb/common/hdl/row_recorder.sv
tb/common/hdl/noise_source.sv
tb/hpm/hdl/hpm_tb.sv
