// Rows of the files of hpm_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/hpm/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package hpm_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind stimulus.
  localparam int StimulusCycleAt = 0, StimulusCycleBits = 64;
  localparam int StimulusLevelsAt = 64, StimulusLevelsBits = 32;
  localparam int StimulusLevelsPrivLsb = 0, StimulusLevelsPrivWidth = 3;
  localparam int StimulusLevelsStopcountLsb = 3, StimulusLevelsStopcountWidth = 1;
  localparam int StimulusLevelsRunningLsb = 4, StimulusLevelsRunningWidth = 1;
  localparam int StimulusRetiredAt = 96, StimulusRetiredBits = 8;
  localparam int StimulusAccessAt = 104, StimulusAccessBits = 8;
  localparam int StimulusAccessOpLsb = 0, StimulusAccessOpWidth = 3;
  localparam int StimulusAccessAccessLsb = 3, StimulusAccessAccessWidth = 1;
  localparam int StimulusModeAt = 112, StimulusModeBits = 8;
  localparam int StimulusXlen32At = 120, StimulusXlen32Bits = 8;
  localparam int StimulusAddrAt = 128, StimulusAddrBits = 16;
  localparam int StimulusOutcomeAt = 144, StimulusOutcomeBits = 8;
  localparam int StimulusWdataAt = 192, StimulusWdataBits = 64;
  localparam int StimulusTimeAt = 256, StimulusTimeBits = 64;
  localparam int StimulusEventsAt = 320, StimulusEventsBits = 8;
  localparam logic [31:0] StimulusLevels = 32'h0000001F;
  function automatic int stimulus_bits(input int n_events);
    return 320 + 8*((n_events + 3)/4*4);
  endfunction

  // Lowest bit and bits of each field of a row of kind recorded.
  localparam int RecordedCycleAt = 0, RecordedCycleBits = 64;
  localparam int RecordedLevelsAt = 64, RecordedLevelsBits = 32;
  localparam int RecordedLevelsPrivLsb = 0, RecordedLevelsPrivWidth = 3;
  localparam int RecordedLevelsStopcountLsb = 3, RecordedLevelsStopcountWidth = 1;
  localparam int RecordedLevelsRunningLsb = 4, RecordedLevelsRunningWidth = 1;
  localparam int RecordedLevelsLcofiLsb = 5, RecordedLevelsLcofiWidth = 1;
  localparam int RecordedLevelsLcofieLsb = 6, RecordedLevelsLcofieWidth = 1;
  localparam int RecordedLevelsUnknownLsb = 8, RecordedLevelsUnknownWidth = 1;
  localparam int RecordedLevelsStateUnknownLsb = 9, RecordedLevelsStateUnknownWidth = 1;
  localparam int RecordedLevelsStrayLsb = 10, RecordedLevelsStrayWidth = 1;
  localparam int RecordedRetiredAt = 96, RecordedRetiredBits = 8;
  localparam int RecordedAccessAt = 104, RecordedAccessBits = 8;
  localparam int RecordedAccessOpLsb = 0, RecordedAccessOpWidth = 3;
  localparam int RecordedAccessAccessLsb = 3, RecordedAccessAccessWidth = 1;
  localparam int RecordedModeAt = 112, RecordedModeBits = 8;
  localparam int RecordedXlen32At = 120, RecordedXlen32Bits = 8;
  localparam int RecordedAddrAt = 128, RecordedAddrBits = 16;
  localparam int RecordedOutcomeAt = 144, RecordedOutcomeBits = 8;
  localparam int RecordedWdataAt = 192, RecordedWdataBits = 64;
  localparam int RecordedTimeAt = 256, RecordedTimeBits = 64;
  localparam int RecordedRdataAt = 320, RecordedRdataBits = 64;
  localparam int RecordedEventsAt = 384, RecordedEventsBits = 8;
  localparam int RecordedOfAt = 384, RecordedOfBits = 32;
  localparam int RecordedCountersAt = 416, RecordedCountersBits = 64;
  function automatic int recorded_bits(input int n_events, input int n_counters);
    return 416 + 8*((n_events + 3)/4*4) + 64*n_counters;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
