// Registers of the hardware performance counters: CSR addresses, settable bits, fields, selectors.
// SPDX-License-Identifier: Apache-2.0
// Generated from models/hpm/registers.py; do not edit, type `python -m rvtrace.flow.generate`.
//
// Masks are those of an implementation with every option; h registers are bits 63:32 of their partners.
// An address that ends in Base is that of counter 0 of an array: counter n, 3 to 31, is at Base + n.
package hpm_reg_pkg;

  localparam int FirstCounter = 3, LastCounter = 31;
  localparam int SelectNothing = 0, SelectCycles = 1, SelectRetired = 2, SelectEvents = 3;

  // mhpmevent; the inhibit bits have the same place in mcyclecfg and minstretcfg.
  localparam int SelectLsb = 0, SelectWidth = 56;
  localparam int VuinhLsb = 58, VuinhWidth = 1;
  localparam int VsinhLsb = 59, VsinhWidth = 1;
  localparam int UinhLsb = 60, UinhWidth = 1;
  localparam int SinhLsb = 61, SinhWidth = 1;
  localparam int MinhLsb = 62, MinhWidth = 1;
  localparam int OfLsb = 63, OfWidth = 1;
  localparam logic [63:0] InhibitsMask = 64'h7C00000000000000;

  // Bit of mip, mie, mideleg and their views; bits of mcountinhibit, mcounteren, scounteren, hcounteren.
  localparam int LcofiBit = 13;
  localparam int CyBit = 0, TmBit = 1, IrBit = 2;

  // One for each counter.
  localparam logic [11:0] MhpmeventBase = 12'h320;
  localparam logic [11:0] MhpmeventhBase = 12'h720;
  localparam logic [11:0] MhpmcounterBase = 12'hB00;
  localparam logic [11:0] MhpmcounterhBase = 12'hB80;
  localparam logic [11:0] HpmcounterBase = 12'hC00;
  localparam logic [11:0] HpmcounterhBase = 12'hC80;

  localparam logic [11:0] SieAddr = 12'h104;
  localparam logic [11:0] ScounterenAddr = 12'h106;
  localparam logic [11:0] SipAddr = 12'h144;
  localparam logic [11:0] VsieAddr = 12'h204;
  localparam logic [11:0] VsipAddr = 12'h244;
  localparam logic [11:0] MidelegAddr = 12'h303;
  localparam logic [11:0] MieAddr = 12'h304;
  localparam logic [11:0] McounterenAddr = 12'h306;
  localparam logic [11:0] McountinhibitAddr = 12'h320;
  localparam logic [11:0] McyclecfgAddr = 12'h321;
  localparam logic [11:0] MinstretcfgAddr = 12'h322;
  localparam logic [11:0] MipAddr = 12'h344;
  localparam logic [11:0] HidelegAddr = 12'h603;
  localparam logic [11:0] HtimedeltaAddr = 12'h605;
  localparam logic [11:0] HcounterenAddr = 12'h606;
  localparam logic [11:0] HtimedeltahAddr = 12'h615;
  localparam logic [11:0] McyclecfghAddr = 12'h721;
  localparam logic [11:0] MinstretcfghAddr = 12'h722;
  localparam logic [11:0] McycleAddr = 12'hB00;
  localparam logic [11:0] MinstretAddr = 12'hB02;
  localparam logic [11:0] McyclehAddr = 12'hB80;
  localparam logic [11:0] MinstrethAddr = 12'hB82;
  localparam logic [11:0] CycleAddr = 12'hC00;
  localparam logic [11:0] TimeAddr = 12'hC01;
  localparam logic [11:0] InstretAddr = 12'hC02;
  localparam logic [11:0] CyclehAddr = 12'hC80;
  localparam logic [11:0] TimehAddr = 12'hC81;
  localparam logic [11:0] InstrethAddr = 12'hC82;
  localparam logic [11:0] ScountovfAddr = 12'hDA0;

  localparam logic [63:0] ScounterenMask = 64'h00000000FFFFFFFF;
  localparam logic [63:0] MidelegMask = 64'h0000000000002000;
  localparam logic [63:0] MieMask = 64'h0000000000002000;
  localparam logic [63:0] McounterenMask = 64'h00000000FFFFFFFF;
  localparam logic [63:0] McountinhibitMask = 64'h00000000FFFFFFFD;
  localparam logic [63:0] McyclecfgMask = 64'h7C00000000000000;
  localparam logic [63:0] MinstretcfgMask = 64'h7C00000000000000;
  localparam logic [63:0] MipMask = 64'h0000000000002000;
  localparam logic [63:0] HidelegMask = 64'h0000000000002000;
  localparam logic [63:0] HtimedeltaMask = 64'hFFFFFFFFFFFFFFFF;
  localparam logic [63:0] HcounterenMask = 64'h00000000FFFFFFFF;
  localparam logic [63:0] McycleMask = 64'hFFFFFFFFFFFFFFFF;
  localparam logic [63:0] MinstretMask = 64'hFFFFFFFFFFFFFFFF;

endpackage
