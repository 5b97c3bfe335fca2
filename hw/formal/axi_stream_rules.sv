// SPDX-License-Identifier: Apache-2.0
// The rules of an AXI4-Stream transmitter: what it offers stays until it is taken.
module axi_stream_rules #(
    parameter int WIDTH = 8 // of everything that a beat has
) (
    input logic clock,
    input logic reset,
    input logic [WIDTH-1:0] payload,
    input logic tvalid,
    input logic tready
);
  logic past_valid = 1'b0;
  logic past_reset, past_tvalid, past_tready;
  logic [WIDTH-1:0] past_payload;
  always_ff @(posedge clock) begin
    past_valid <= 1'b1;
    {past_reset, past_payload, past_tvalid, past_tready} <= {reset, payload, tvalid, tready};
  end
  always_comb begin
    if (past_valid && past_reset) begin
      no_valid_after_reset: assert (!tvalid);
    end
    if (past_valid && !past_reset && !reset && past_tvalid && !past_tready) begin
      beat_is_held: assert (tvalid && payload == past_payload);
    end
  end
endmodule
