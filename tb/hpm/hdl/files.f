build/rows/hpm_rows.sv
tb/common/hdl/trace_player.sv
tb/common/hdl/row_recorder.sv
tb/common/hdl/noise_source.sv
tb/hpm/hdl/hpm_tb.sv
