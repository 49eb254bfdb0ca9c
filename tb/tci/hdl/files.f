tb/common/hdl/ready_source.sv
tb/common/hdl/trace_player.sv
tb/common/hdl/row_recorder.sv
tb/common/hdl/stream_recorder.sv
build/rows/tci_rows.sv
tb/tci/hdl/tci_requester.sv
tb/tci/hdl/tci_tb.sv
