// SPDX-License-Identifier: Apache-2.0
// One variable-length field (with what precedes it in its first byte) as N-Trace bytes: MDO in bits
// 7:2, MSEO in 1:0 (1.0.0_rc7 section 3.1). Combinational.
//
// The field ends with the byte that holds the highest 1 of `length_i`, but not before `min_bytes_i`: a
// field that starts on a byte boundary takes a byte even if it is 0 (NT-7). `length_i` is the field itself
// unless it may end earlier than its highest 1 (section 8.2). Bytes after its end are 0.
module ntrace_field
#(
  parameter int Bytes     = 4,
  // Derived, do not set.
  parameter int CountBits = $clog2(Bytes + 1)
) (
  input  logic                 present_i,
  input  logic                 last_i,       // the message ends with this field
  input  logic [6*Bytes-1:0]   mdo_i,
  input  logic [6*Bytes-1:0]   length_i,
  input  logic [CountBits-1:0] min_bytes_i,

  output logic [CountBits-1:0] nbytes_o,     // 0 if not present
  output logic [8*Bytes-1:0]   bytes_o
);

  // Seen from the last byte down: nothing of the field is in byte k or after it, so the field ends
  // before byte k; and how many bytes it has from byte k on.
  for (genvar k = Bytes - 1; k >= 0; k--) begin : gen_byte
    localparam int Index = k;
    localparam int Count = k + 1;
    logic                 ended_after, ended;
    logic [CountBits-1:0] count_after, count;

    if (k == Bytes - 1) begin : gen_last
      assign ended_after = 1'b1;
      assign count_after = '0;
    end else begin : gen_other
      assign ended_after = gen_byte[k+1].ended;
      assign count_after = gen_byte[k+1].count;
    end

    assign ended = ended_after && (!present_i ||
                                   ((Index[CountBits-1:0] >= min_bytes_i) && (length_i[6*k +: 6] == 6'd0)));
    assign count = (ended_after && !ended) ? Count[CountBits-1:0] : count_after;

    assign bytes_o[8*k +: 8] = ended ? 8'h00 :
                               {mdo_i[6*k +: 6], ended_after ? {last_i, 1'b1} : 2'b00};
  end

  assign nbytes_o = gen_byte[0].count;

endmodule
