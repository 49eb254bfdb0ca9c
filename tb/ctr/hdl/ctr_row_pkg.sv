// Rows of the files of ctr_tb: where the fields are.
// SPDX-License-Identifier: Apache-2.0
// Generated from tb/ctr/agents/layout.py; do not edit, type `python -m rvtrace.flow.generate`.
package ctr_row_pkg;

  /* verilator lint_off UNUSEDPARAM */  // every place has its name

  // Lowest bit and bits of each field of a row of kind stimulus.
  localparam int StimulusCycleAt = 0, StimulusCycleBits = 64;
  localparam int StimulusPrivAt = 64, StimulusPrivBits = 32;
  localparam int StimulusAccessAt = 96, StimulusAccessBits = 8;
  localparam int StimulusAccessOpLsb = 0, StimulusAccessOpWidth = 3;
  localparam int StimulusAccessAccessLsb = 3, StimulusAccessAccessWidth = 1;
  localparam int StimulusModeAt = 104, StimulusModeBits = 8;
  localparam int StimulusXlen32At = 112, StimulusXlen32Bits = 8;
  localparam int StimulusOutcomeAt = 120, StimulusOutcomeBits = 8;
  localparam int StimulusAddrAt = 128, StimulusAddrBits = 16;
  localparam int StimulusWdataAt = 192, StimulusWdataBits = 64;
  localparam int StimulusSlotsAt = 256;
  localparam logic [31:0] StimulusLevels = 32'h00000007;
  function automatic int stimulus_bits(input int n_transfers);
    return 256 + 192*n_transfers;
  endfunction

  // In a slot.
  localparam int SlotTypeAt = 0, SlotTypeBits = 8;
  localparam int SlotMispAt = 8, SlotMispBits = 8;
  localparam int SlotFromAt = 16, SlotFromBits = 8;
  localparam int SlotToAt = 24, SlotToBits = 8;
  localparam int SlotCauseAt = 32, SlotCauseBits = 8;
  localparam int SlotSourceAt = 64, SlotSourceBits = 64;
  localparam int SlotTargetAt = 128, SlotTargetBits = 64;
  localparam int SlotBits = 192;

  // Lowest bit and bits of each field of a row of kind recorded.
  localparam int RecordedCycleAt = 0, RecordedCycleBits = 64;
  localparam int RecordedPrivAt = 64, RecordedPrivBits = 32;
  localparam int RecordedPrivPrivLsb = 0, RecordedPrivPrivWidth = 3;
  localparam int RecordedPrivUnknownLsb = 8, RecordedPrivUnknownWidth = 1;
  localparam int RecordedAccessAt = 96, RecordedAccessBits = 8;
  localparam int RecordedAccessOpLsb = 0, RecordedAccessOpWidth = 3;
  localparam int RecordedAccessAccessLsb = 3, RecordedAccessAccessWidth = 1;
  localparam int RecordedModeAt = 104, RecordedModeBits = 8;
  localparam int RecordedXlen32At = 112, RecordedXlen32Bits = 8;
  localparam int RecordedOutcomeAt = 120, RecordedOutcomeBits = 8;
  localparam int RecordedAddrAt = 128, RecordedAddrBits = 16;
  localparam int RecordedWdataAt = 192, RecordedWdataBits = 64;
  localparam int RecordedRdataAt = 256, RecordedRdataBits = 64;
  localparam int RecordedSlotsAt = 320;
  function automatic int recorded_bits(input int n_transfers);
    return 320 + 192*n_transfers;
  endfunction

  /* verilator lint_on UNUSEDPARAM */

endpackage
