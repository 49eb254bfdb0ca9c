rtl/common/trace_timestamp.sv
tb/hdl/ready_source.sv
tb/hdl/trace_player.sv
tb/hdl/trace_recorder.sv
tb/hdl/ntrace_tb.sv
