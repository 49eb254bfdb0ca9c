build/rows/ctr_rows.sv
tb/common/hdl/trace_player.sv
tb/common/hdl/row_recorder.sv
tb/common/hdl/noise_source.sv
tb/ctr/hdl/ctr_tb.sv
