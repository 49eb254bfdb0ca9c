// SPDX-License-Identifier: Apache-2.0
// Control transfer records: Smctr/Ssctr 1.0, and the draft 0.1.4.
//
// What it records and what every access gives is docs/reference/ctr-profile.md; how it is built, docs/reference/rtl-ctr.md.
module ctr
#(
  parameter int          Xlen       = 64,  // 32 or 64
  parameter bit          Draft      = 1'b0,   // 0: v1_0, 1: v0_1_4
  parameter int          NTransfers = 4,   // transfers retired in a cycle: 1 to 4
  parameter logic [4:0]  Depths     = 5'h1F,  // supported depths: 16 (bit 0), 32, 64, 128, 256 (bit 4)
  parameter bit          HasS       = 1'b1,   // v1_0: always
  parameter bit          HasH       = 1'b1,   // needs HasS
  parameter logic [63:0] Fields     = 64'hFFFFFFFFFFFFFFFF,  // implemented bits of mctrctl (mctrcontrol)
  parameter bit          HasMisp    = 1'b1,
  parameter bit          HasType    = 1'b1,
  parameter bit          HasCc      = 1'b1,
  parameter int          CceBits    = 4,   // 0 to 4
  parameter int          RasPolicy  = 0,   // 0 to 2: cycle counts in RAS emulation
  parameter bit          HasStateen = 1'b1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // Of this cycle, before its transfers: {V, PRV}, 7 is Debug Mode.
  input  logic [2:0]                 priv_i,

  // Transfers: slot k in bits k*W +: W, slot 0 is the oldest; valid slots fill from 0.
  input  logic [NTransfers-1:0]      xfer_valid_i,
  input  logic [NTransfers*4-1:0]    xfer_type_i,    // itype codes 1 to 5, 8 to 15
  input  logic [NTransfers*Xlen-1:0] xfer_source_i,
  input  logic [NTransfers*Xlen-1:0] xfer_target_i,
  input  logic [NTransfers-1:0]      xfer_misp_i,
  input  logic [NTransfers*3-1:0]    xfer_from_i,    // as priv_i
  input  logic [NTransfers*3-1:0]    xfer_to_i,
  input  logic [NTransfers*8-1:0]    xfer_cause_i,   // of a trap

  // One access a cycle, after the transfers of its cycle. The answer comes in the same cycle.
  input  logic                       csr_valid_i,
  input  logic [2:0]                 csr_op_i,       // 0 read, 1 write, 2 set, 3 clear, 4 SCTRCLR
  input  logic [11:0]                csr_addr_i,
  input  logic [Xlen-1:0]            csr_wdata_i,
  input  logic [2:0]                 csr_priv_i,     // as priv_i
  input  logic                       csr_xlen32_i,   // made at XLEN 32 (RV64 only)
  output logic [Xlen-1:0]            csr_rdata_o,    // before the access; 0 if it is refused
  output logic [1:0]                 csr_outcome_o   // 0 done, 1 illegal instruction, 2 virtual instruction
);

  // Entries that some supported depth has.
  localparam int Entries = Depths[4] ? 256 : Depths[3] ? 128 : Depths[2] ? 64 : Depths[1] ? 32 : 16;

  // --- Registers ---------------------------------------------------------------------------------------

  logic [63:0]     mctl, vsctl;
  logic [7:0]      last;
  logic            frozen, frozen_then, wrap, wrap_then;
  logic [7:0]      wrptr, wrptr_then;
  logic [7:0]      entry_index;
  logic            entry_source_we, entry_target_we, entry_data_we;
  logic [Xlen-1:0] entry_wdata, entry_source, entry_target;
  logic [31:0]     entry_data;
  logic            clear, restart;
  logic [7:0]      clear_last;

  ctr_csr #(
    .Xlen              (Xlen),
    .Draft             (Draft),
    .Depths            (Depths),
    .HasS              (HasS),
    .HasH              (HasH),
    .Fields            (Fields),
    .HasStateen        (HasStateen)
  ) u_csr (
    .clk_i,
    .rst_ni,
    .csr_valid_i,
    .csr_op_i,
    .csr_addr_i,
    .csr_wdata_i,
    .csr_priv_i,
    .csr_xlen32_i,
    .csr_rdata_o,
    .csr_outcome_o,
    .mctl_o            (mctl),
    .vsctl_o           (vsctl),
    .last_o            (last),
    .frozen_o          (frozen),
    .wrap_o            (wrap),
    .wrptr_o           (wrptr),
    .frozen_i          (frozen_then),
    .wrap_i            (wrap_then),
    .wrptr_i           (wrptr_then),
    .entry_index_o     (entry_index),
    .entry_source_we_o (entry_source_we),
    .entry_target_we_o (entry_target_we),
    .entry_data_we_o   (entry_data_we),
    .entry_wdata_o     (entry_wdata),
    .entry_source_i    (entry_source),
    .entry_target_i    (entry_target),
    .entry_data_i      (entry_data),
    .clear_o           (clear),
    .clear_last_o      (clear_last),
    .restart_o         (restart)
  );

  // --- Transfers ---------------------------------------------------------------------------------------

  logic [NTransfers-1:0]           slot_write, slot_ras, slot_pop;
  logic [NTransfers*2-1:0]         slot_bank;
  logic [NTransfers*ctr_pkg::CountBits-1:0] slot_cc;
  logic [ctr_pkg::NBanks-1:0]               bank_touch, bank_valid, bank_write;
  logic [ctr_pkg::NBanks*6-1:0]             bank_row;
  logic [ctr_pkg::NBanks*(Xlen-1)-1:0]      bank_source;
  logic [ctr_pkg::NBanks*Xlen-1:0]          bank_target;
  logic [ctr_pkg::NBanks*21-1:0]            bank_data;

  ctr_record #(
    .Xlen          (Xlen),
    .Draft         (Draft),
    .NTransfers    (NTransfers)
  ) u_record (
    .mctl_i        (mctl),
    .vsctl_i       (vsctl),
    .last_i        (last),
    .xfer_valid_i,
    .xfer_type_i,
    .xfer_source_i,
    .xfer_target_i,
    .xfer_misp_i,
    .xfer_from_i,
    .xfer_to_i,
    .xfer_cause_i,
    .frozen_i      (frozen),
    .wrap_i        (wrap),
    .wrptr_i       (wrptr),
    .frozen_o      (frozen_then),
    .wrap_o        (wrap_then),
    .wrptr_o       (wrptr_then),
    .write_o       (slot_write),
    .ras_o         (slot_ras),
    .pop_o         (slot_pop),
    .bank_o        (slot_bank),
    .cc_i          (slot_cc),
    .bank_touch_o  (bank_touch),
    .bank_valid_o  (bank_valid),
    .bank_write_o  (bank_write),
    .bank_row_o    (bank_row),
    .bank_source_o (bank_source),
    .bank_target_o (bank_target),
    .bank_data_o   (bank_data)
  );

  // --- Cycle counts ------------------------------------------------------------------------------------

  logic                        active;
  logic [ctr_pkg::NBanks*ctr_pkg::CountBits-1:0] counts_before;

  assign active = !frozen && ctr_pkg::is_enabled(Draft, mctl, vsctl, priv_i);

  ctr_cycles #(
    .NTransfers (NTransfers),
    .HasCc      (HasCc),
    .CceBits    (CceBits),
    .RasPolicy  (RasPolicy)
  ) u_cycles (
    .clk_i,
    .rst_ni,
    .active_i   (active),
    .restart_i  (restart),
    .valid_i    (xfer_valid_i),
    .write_i    (slot_write),
    .ras_i      (slot_ras),
    .pop_i      (slot_pop),
    .bank_i     (slot_bank),
    .stored_i   (counts_before),
    .cc_o       (slot_cc)
  );

  // --- Entries -----------------------------------------------------------------------------------------

  ctr_array #(
    .Xlen            (Xlen),
    .Entries         (Entries),
    .HasMisp         (HasMisp),
    .HasType         (HasType),
    .HasCc           (HasCc),
    .CceBits         (CceBits),
    .RasPolicy       (RasPolicy)
  ) u_array (
    .clk_i,
    .rst_ni,
    .touch_i         (bank_touch),
    .valid_i         (bank_valid),
    .write_i         (bank_write),
    .row_i           (bank_row),
    .source_i        (bank_source),
    .target_i        (bank_target),
    .data_i          (bank_data),
    .csr_index_i     (entry_index),
    .csr_source_we_i (entry_source_we),
    .csr_target_we_i (entry_target_we),
    .csr_data_we_i   (entry_data_we),
    .csr_wdata_i     (entry_wdata),
    .csr_source_o    (entry_source),
    .csr_target_o    (entry_target),
    .csr_data_o      (entry_data),
    .clear_i         (clear),
    .clear_last_i    (clear_last),
    .wrptr_i         (wrptr),
    .last_i          (last),
    .before_o        (counts_before)
  );

endmodule
