// Items behind each other, without gaps.
module tandem_join #(
  parameter int                   Items   = 2,
  parameter logic [32*Items-1:0]  Sizes   = {Items{32'h2}},  // of each, as tandem_put has it
  parameter int                   Bytes   = 32,              // room for all of them at their longest
  parameter int                   NBits   = 8
) (
  input  logic [Items*tandem_pkg::CountBits-1:0] n_i,      // item 0 comes first
  input  logic [Items*tandem_pkg::ItemBits-1:0]  item_i,
  output logic [NBits-1:0]                       n_o,
  output logic [8*Bytes-1:0]                     bytes_o   // 0 behind the last
);

  // From the last to the first.
  for (genvar k = Items - 1; k >= 0; k--) begin : gen_item
    logic [tandem_pkg::CountBits-1:0] n;
    logic [tandem_pkg::ItemBits-1:0]  item;
    logic [8*Bytes-1:0]               behind, bytes;

    assign n    = n_i[tandem_pkg::CountBits*k +: tandem_pkg::CountBits];
    assign item = item_i[tandem_pkg::ItemBits*k +: tandem_pkg::ItemBits];
    if (k == Items - 1) begin : gen_last
      assign behind = '0;
    end else begin : gen_before
      assign behind = gen_item[k+1].bytes;
    end
    tandem_put #(
      .Bytes (Bytes),
      .Sizes (Sizes[32*k +: 32])
    ) u_put (
      .n_i      (n),
      .item_i   (item),
      .behind_i (behind),
      .bytes_o  (bytes)
    );
  end
  assign bytes_o = gen_item[0].bytes;

  function automatic logic [NBits-1:0] sum(input logic [Items*tandem_pkg::CountBits-1:0] n);
    sum = '0;
    for (int k = 0; k < Items; k++) begin
      sum = sum + {{(NBits-tandem_pkg::CountBits){1'b0}}, n[tandem_pkg::CountBits*k +: tandem_pkg::CountBits]};
    end
  endfunction
  assign n_o = sum(n_i);

endmodule
