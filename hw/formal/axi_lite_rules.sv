// SPDX-License-Identifier: Apache-2.0
// The rules of an AXI4-Lite port. The rules of the subordinate, which is the kernel, are asserted. The rules of the manager, which is
// the host, are assumed.
module axi_lite_rules #(
    parameter int ADDRESS_BITS = 12
) (
    input logic clock,
    input logic reset,
    input logic [ADDRESS_BITS-1:0] awaddr,
    input logic awvalid,
    input logic awready,
    input logic [31:0] wdata,
    input logic [3:0] wstrb,
    input logic wvalid,
    input logic wready,
    input logic [1:0] bresp,
    input logic bvalid,
    input logic bready,
    input logic [ADDRESS_BITS-1:0] araddr,
    input logic arvalid,
    input logic arready,
    input logic [31:0] rdata,
    input logic [1:0] rresp,
    input logic rvalid,
    input logic rready,

    // Accepted and not yet answered.
    output logic [1:0] addresses,
    output logic [1:0] data,
    output logic [1:0] reads
);
  logic past_valid = 1'b0;
  logic past_reset, past_awvalid, past_awready, past_wvalid, past_wready, past_arvalid, past_arready;
  logic past_bvalid, past_bready, past_rvalid, past_rready;
  logic [ADDRESS_BITS-1:0] past_awaddr, past_araddr;
  logic [31:0] past_wdata, past_rdata;
  logic [3:0] past_wstrb;
  logic [1:0] past_bresp, past_rresp;
  always_ff @(posedge clock) begin
    past_valid <= 1'b1;
    past_reset <= reset;
    {past_awaddr, past_awvalid, past_awready} <= {awaddr, awvalid, awready};
    {past_wdata, past_wstrb, past_wvalid, past_wready} <= {wdata, wstrb, wvalid, wready};
    {past_araddr, past_arvalid, past_arready} <= {araddr, arvalid, arready};
    {past_bresp, past_bvalid, past_bready} <= {bresp, bvalid, bready};
    {past_rdata, past_rresp, past_rvalid, past_rready} <= {rdata, rresp, rvalid, rready};
    addresses <= addresses + {1'b0, awvalid && awready} - {1'b0, bvalid && bready};
    data <= data + {1'b0, wvalid && wready} - {1'b0, bvalid && bready};
    reads <= reads + {1'b0, arvalid && arready} - {1'b0, rvalid && rready};
    if (reset) begin
      addresses <= '0;
      data <= '0;
      reads <= '0;
    end
  end

  // ---- The manager ----
  always_comb begin
    if (past_valid && !past_reset) begin
      if (past_awvalid && !past_awready) assume (awvalid && awaddr == past_awaddr);
      if (past_wvalid && !past_wready) assume (wvalid && wdata == past_wdata && wstrb == past_wstrb);
      if (past_arvalid && !past_arready) assume (arvalid && araddr == past_araddr);
    end
  end

  // ---- The subordinate ----
  always_comb begin
    if (past_valid && past_reset) begin
      no_valid_after_reset: assert (!bvalid && !rvalid);
    end
    if (past_valid && !past_reset && !reset) begin
      if (past_bvalid && !past_bready) begin
        response_is_held: assert (bvalid && bresp == past_bresp);
      end
      if (past_rvalid && !past_rready) begin
        data_is_held: assert (rvalid && rdata == past_rdata && rresp == past_rresp);
      end
      if (bvalid) begin
        response_follows_its_write: assert (addresses != 2'd0 && data != 2'd0);
      end
      if (rvalid) begin
        data_follows_its_address: assert (reads != 2'd0);
      end
      one_access_at_a_time: assert (addresses <= 2'd1 && data <= 2'd1 && reads <= 2'd1);
    end
  end
endmodule
