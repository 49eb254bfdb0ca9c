// Rows of the files of etrace_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/common/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package etrace_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind stimulus.
  localparam int StimulusCycleAt = 0, StimulusCycleBits = 64;
  localparam int StimulusLevelsAt = 64, StimulusLevelsBits = 32;
  localparam int StimulusLevelsEnableLsb = 0, StimulusLevelsEnableWidth = 1;
  localparam int StimulusLevelsInstTracingLsb = 1, StimulusLevelsInstTracingWidth = 1;
  localparam int StimulusLevelsHaltedLsb = 2, StimulusLevelsHaltedWidth = 1;
  localparam int StimulusLevelsInResetLsb = 4, StimulusLevelsInResetWidth = 1;
  localparam int StimulusLevelsNotifyLsb = 8, StimulusLevelsNotifyWidth = 1;
  localparam int StimulusLevelsCtypeLsb = 12, StimulusLevelsCtypeWidth = 2;
  localparam int StimulusLevelsToggleLsb = 24, StimulusLevelsToggleWidth = 6;
  localparam int StimulusVendorDataAt = 96, StimulusVendorDataBits = 32;
  localparam int StimulusLanesAt = 128;
  function automatic int stimulus_bits(input int n_blocks);
    return 128 + 256*n_blocks;
  endfunction

  // In a lane.
  localparam int LaneItypeAt = 0, LaneItypeBits = 8;
  localparam int LaneIlastsizeAt = 8, LaneIlastsizeBits = 8;
  localparam int LaneSijumpAt = 16, LaneSijumpBits = 8;
  localparam int LanePrivAt = 24, LanePrivBits = 8;
  localparam int LaneCauseAt = 32, LaneCauseBits = 8;
  localparam int LaneIretireAt = 48, LaneIretireBits = 16;
  localparam int LaneHcontextAt = 64, LaneHcontextBits = 16;
  localparam int LaneContextAt = 96, LaneContextBits = 32;
  localparam int LaneIaddrAt = 128, LaneIaddrBits = 64;
  localparam int LaneTvalAt = 192, LaneTvalBits = 64;
  localparam int LaneBits = 256;

  // Lowest bit and bits of each field of a row of kind levels.
  localparam int LevelsLevelsAt = 0, LevelsLevelsBits = 32;
  localparam int LevelsLevelsEnableLsb = 0, LevelsLevelsEnableWidth = 1;
  localparam int LevelsLevelsInstTracingLsb = 1, LevelsLevelsInstTracingWidth = 1;
  localparam int LevelsLevelsHaltedLsb = 2, LevelsLevelsHaltedWidth = 1;
  localparam int LevelsLevelsDropLsb = 3, LevelsLevelsDropWidth = 1;
  localparam int LevelsLevelsInResetLsb = 4, LevelsLevelsInResetWidth = 1;
  localparam int LevelsLevelsNotifyLsb = 8, LevelsLevelsNotifyWidth = 1;
  localparam int LevelsLevelsCtypeLsb = 12, LevelsLevelsCtypeWidth = 2;
  localparam int LevelsLevelsToggleLsb = 24, LevelsLevelsToggleWidth = 6;
  localparam int LevelsBits = 32;

  // Lowest bit and bits of each field of a row of kind lanes.
  localparam int LanesLanesAt = 0;
  function automatic int lanes_bits(input int n_blocks);
    return 0 + 256*n_blocks;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
