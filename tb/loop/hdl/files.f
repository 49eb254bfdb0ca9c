tb/loop/hdl/loop_tb.sv
