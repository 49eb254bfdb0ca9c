// Rows of the files of tandem_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/tandem/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package tandem_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind stimulus.
  localparam int StimulusGapAt = 0, StimulusGapBits = 64;
  localparam int StimulusLanesAt = 128;
  function automatic int stimulus_bits(input int n_lanes);
    return 128 + 1344*n_lanes;
  endfunction

  // In a lane.
  localparam int LanePcAt = 0, LanePcBits = 64;
  localparam int LanePpcAt = 64, LanePpcBits = 64;
  localparam int LaneGprAt = 128, LaneGprBits = 64;
  localparam int LaneFprAt = 192, LaneFprBits = 64;
  localparam int LaneCsrAt = 256, LaneCsrBits = 64;
  localparam int LanePaddrAt = 512, LanePaddrBits = 64;
  localparam int LaneEaddrAt = 576, LaneEaddrBits = 64;
  localparam int LaneMemdataAt = 640, LaneMemdataBits = 64;
  localparam int LaneMtimeAt = 704, LaneMtimeBits = 64;
  localparam int LaneMcycleAt = 768, LaneMcycleBits = 64;
  localparam int LaneMinstretAt = 832, LaneMinstretBits = 64;
  localparam int LaneReqAddrAt = 896, LaneReqAddrBits = 64;
  localparam int LaneReqDataAt = 960, LaneReqDataBits = 64;
  localparam int LaneRspDataAt = 1024, LaneRspDataBits = 64;
  localparam int LaneHasAt = 1088, LaneHasBits = 32;
  localparam int LaneInsnAt = 1120, LaneInsnBits = 32;
  localparam int LaneFcsrAt = 1152, LaneFcsrBits = 32;
  localparam int LaneCsrAddrAt = 1184, LaneCsrAddrBits = 16;
  localparam int LaneInsn16At = 1248, LaneInsn16Bits = 8;
  localparam int LaneGprAddrAt = 1256, LaneGprAddrBits = 8;
  localparam int LaneFprAddrAt = 1264, LaneFprAddrBits = 8;
  localparam int LanePrivAt = 1272, LanePrivBits = 8;
  localparam int LaneMemdataSizeAt = 1280, LaneMemdataSizeBits = 8;
  localparam int LaneReqOpAt = 1288, LaneReqOpBits = 8;
  localparam int LaneReqSizeAt = 1296, LaneReqSizeBits = 8;
  localparam int LaneRspResultAt = 1304, LaneRspResultBits = 8;
  localparam int LaneValidAt = 1312, LaneValidBits = 8;
  localparam int LaneBits = 1344;

  // Lowest bit and bits of each field of a row of kind lanes.
  localparam int LanesLanesAt = 0;
  function automatic int lanes_bits(input int n_lanes);
    return 0 + 1344*n_lanes;
  endfunction

  // Lowest bit and bits of each field of a row of kind errors.
  localparam int ErrorsCycleAt = 0, ErrorsCycleBits = 64;
  localparam int ErrorsLanesAt = 64, ErrorsLanesBits = 32;
  localparam int ErrorsUnknownAt = 96, ErrorsUnknownBits = 32;
  localparam int ErrorsBits = 128;

  /* verilator lint_on UNUSEDPARAM */

endpackage
