// Control transfer records: Smctr/Ssctr 1.0, and the draft 0.1.4.
//
// What it records and what every access gives is docs/ctr-profile.md; how it is built, docs/rtl-ctr.md.
module ctr
#(
  parameter int          Xlen       = 64,  // 32 or 64
  parameter bit          Draft      = 0,   // 0: v1_0, 1: v0_1_4
  parameter int          NTransfers = 4,   // transfers retired in a cycle: 1 to 4
  parameter logic [4:0]  Depths     = 5'h1F,  // supported depths: 16 (bit 0), 32, 64, 128, 256 (bit 4)
  parameter bit          HasS       = 1,   // v1_0: always
  parameter bit          HasH       = 1,   // needs HasS
  parameter logic [63:0] Fields     = 64'hFFFFFFFFFFFFFFFF,  // implemented bits of mctrctl (mctrcontrol); what is required is always there
  parameter bit          HasMisp    = 1,
  parameter bit          HasType    = 1,
  parameter bit          HasCc      = 1,
  parameter int          CceBits    = 4,   // 0 to 4
  parameter int          RasPolicy  = 0,   // 0 to 2: cycle counts in RAS emulation
  parameter bit          HasStateen = 1
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

  // One access a cycle, behind the transfers of its cycle. The answer comes in the same cycle.
  input  logic                       csr_valid_i,
  input  logic [2:0]                 csr_op_i,       // 0 read, 1 write, 2 set, 3 clear, 4 SCTRCLR
  input  logic [11:0]                csr_addr_i,
  input  logic [Xlen-1:0]            csr_wdata_i,
  input  logic [2:0]                 csr_priv_i,     // as priv_i
  input  logic                       csr_xlen32_i,   // made at XLEN 32 (RV64 only)
  output logic [Xlen-1:0]            csr_rdata_o,    // before the access; 0 if it is refused
  output logic [1:0]                 csr_outcome_o   // 0 done, 1 illegal instruction, 2 virtual instruction
);

endmodule
