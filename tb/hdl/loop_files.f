tb/hdl/loop_tb.sv
