// SPDX-License-Identifier: Apache-2.0
// The rules of an AXI4 read port with one ID and beats of 64 bytes. The rules of the manager, which is the kernel, are asserted. The
// subordinate may answer as many beats as were requested.
module axi_read_rules #(
    parameter int COUNT_BITS = 16
) (
    input logic clock,
    input logic reset,
    input logic [63:0] araddr,
    input logic [7:0] arlen,
    input logic arvalid,
    input logic arready,
    input logic rvalid,
    input logic rready,
    output logic [COUNT_BITS-1:0] awaited // beats that were requested and not yet taken
);
  logic past_valid = 1'b0;
  logic past_reset, past_arvalid, past_arready;
  logic [63:0] past_araddr;
  logic [7:0] past_arlen;
  always_ff @(posedge clock) begin
    past_valid <= 1'b1;
    {past_reset, past_araddr, past_arlen, past_arvalid, past_arready} <= {reset, araddr, arlen, arvalid, arready};
    awaited <= awaited + (arvalid && arready ? {{(COUNT_BITS - 8) {1'b0}}, arlen} + 1'b1 : '0) -
               {{(COUNT_BITS - 1) {1'b0}}, rvalid && rready};
    if (reset) awaited <= '0;
  end

  always_comb begin
    if (rvalid) assume (awaited != '0);
    if (!past_valid || past_reset) assume (!rvalid);
  end

  always_comb begin
    if (past_valid && past_reset) begin
      no_valid_after_reset: assert (!arvalid);
    end
    if (past_valid && !past_reset && !reset) begin
      if (past_arvalid && !past_arready) begin
        address_is_held: assert (arvalid && araddr == past_araddr && arlen == past_arlen);
      end
      if (arvalid) begin
        burst_is_aligned: assert (araddr[5:0] == 6'd0);
        burst_is_short: assert (arlen <= 8'd15);
        burst_stays_in_4_kib: assert ({2'b0, araddr[11:6]} + arlen <= 8'd63);
      end
      if (rvalid) begin
        data_is_taken: assert (rready);
      end
    end
  end
endmodule
