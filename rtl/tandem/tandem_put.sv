// An item in front of bytes. `Sizes`: bit n says that the item can have n bytes; none is always possible.
module tandem_put #(
  parameter int          Bytes = 32,    // at least tandem_pkg::ItemBytes
  parameter logic [31:0] Sizes = 32'h2
) (
  input  logic [tandem_pkg::CountBits-1:0] n_i,
  input  logic [tandem_pkg::ItemBits-1:0]  item_i,   // bytes from n_i on are ignored
  input  logic [8*Bytes-1:0]               behind_i,
  output logic [8*Bytes-1:0]               bytes_o
);

  // A multiplexer of as many inputs as there are sizes: cheaper than a shifter.
  function automatic logic [8*Bytes-1:0] put(input logic [tandem_pkg::CountBits-1:0] n, input logic [tandem_pkg::ItemBits-1:0] item,
                                             input logic [8*Bytes-1:0] behind);
    logic [tandem_pkg::ItemBits-1:0] cut;
    put = behind;
    for (int size = 1; size <= tandem_pkg::ItemBytes; size++) begin
      if (Sizes[size] && (n == size[tandem_pkg::CountBits-1:0])) begin
        cut = item & ~({tandem_pkg::ItemBits{1'b1}} << (8 * size));
        put = (behind << (8 * size)) | {{(8*Bytes-tandem_pkg::ItemBits){1'b0}}, cut};
      end
    end
  endfunction
  assign bytes_o = put(n_i, item_i, behind_i);

endmodule
