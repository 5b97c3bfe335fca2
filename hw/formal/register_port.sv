// SPDX-License-Identifier: Apache-2.0
// ht_register_port, the AXI4-Lite port of every kernel, at a host that keeps the rules of AXI4-Lite and nothing else.
// Sources: ht_register_port axi_lite_rules
// Bounded: 6
// Induction: 4
module register_port_formal (
    input logic clock,
    input logic reset,
    input logic [11:0] awaddr,
    input logic awvalid,
    input logic [31:0] wdata,
    input logic [3:0] wstrb,
    input logic wvalid,
    input logic bready,
    input logic [11:0] araddr,
    input logic arvalid,
    input logic rready,
    input logic [31:0] read_data
);
  logic past_valid = 1'b0;
  always_ff @(posedge clock) past_valid <= 1'b1;
  always_comb if (!past_valid) assume (reset);

  logic awready, wready, bvalid, arready, rvalid, write, read;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, write_data;
  logic [9:0] write_word, read_word;
  ht_register_port port (
      .clock(clock), .reset(reset), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata), .wstrb(wstrb),
      .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid), .bready(bready), .araddr(araddr), .arvalid(arvalid),
      .arready(arready), .rdata(rdata), .rresp(rresp), .rvalid(rvalid), .rready(rready), .write(write), .write_word(write_word),
      .write_data(write_data), .read(read), .read_word(read_word), .read_data(read_data));

  logic [1:0] addresses, data, reads;
  axi_lite_rules rules (
      .clock(clock), .reset(reset), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata), .wstrb(wstrb),
      .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid), .bready(bready), .araddr(araddr), .arvalid(arvalid),
      .arready(arready), .rdata(rdata), .rresp(rresp), .rvalid(rvalid), .rready(rready), .addresses(addresses), .data(data),
      .reads(reads));

  // ---- For induction: what the port holds. ----
  logic probe_has_address; // = port.has_address
  logic probe_has_data; // = port.has_data
  logic [2:0] probe_under_way; // = port.under_way
  always_comb begin
    if (past_valid) begin
      holds_a_write: assert (addresses == {1'b0, probe_has_address} + {1'b0, bvalid} && data == {1'b0, probe_has_data} + {1'b0, bvalid});
      write_is_exclusive: assert (!(bvalid && (probe_has_address || probe_has_data)));
      write_ready_is_free: assert (!(awready && (probe_has_address || bvalid)) && !(wready && (probe_has_data || bvalid)));
      holds_a_read: assert (reads == {1'b0, probe_under_way != 3'd0} + {1'b0, rvalid});
      read_is_exclusive: assert ((probe_under_way & (probe_under_way - 3'd1)) == 3'd0 && !(rvalid && probe_under_way != 3'd0));
      read_ready_is_free: assert (!(arready && (rvalid || probe_under_way != 3'd0)));
    end
  end
endmodule
