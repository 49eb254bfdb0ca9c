// One variable-length field (with what precedes it in its first byte) as N-Trace bytes: MDO in bits
// 7:2, MSEO in 1:0 (1.0.0_rc7 section 3.1). Combinational.
//
// The field ends with the byte that holds its highest 1, but not before `min_bytes_i`: a field
// that starts on a byte boundary takes a byte even if it is 0. Bytes behind its end are 0.
module ntrace_field
#(
  parameter int Bytes     = 4,
  // Derived, do not set.
  parameter int CountBits = $clog2(Bytes + 1)
) (
  input  logic                 present_i,
  input  logic                 last_i,       // the message ends with this field
  input  logic [6*Bytes-1:0]   mdo_i,
  input  logic [CountBits-1:0] min_bytes_i,

  output logic [CountBits-1:0] nbytes_o,     // 0 if not present
  output logic [8*Bytes-1:0]   bytes_o
);

  // ends[k]: bytes k and up hold nothing of the field, so it ends before byte k.
  logic [Bytes:0] ends;
  assign ends[Bytes] = 1'b1;

  for (genvar k = 0; k < Bytes; k++) begin : gen_byte
    localparam logic [CountBits-1:0] Index = k;

    assign ends[k] = ends[k+1] && (Index >= min_bytes_i) && (mdo_i[6*k +: 6] == 6'd0);

    assign bytes_o[8*k +: 8] = !(present_i && !ends[k]) ? 8'h00 :
                               {mdo_i[6*k +: 6], ends[k+1] ? {last_i, 1'b1} : 2'b00};
  end

  always_comb begin
    nbytes_o = '0;
    for (int unsigned k = 0; k < Bytes; k++) begin
      if (present_i && !ends[k]) nbytes_o = nbytes_o + 1'b1;
    end
  end

endmodule
