// SPDX-License-Identifier: Apache-2.0
// AXI-Lite to one write and one read at a time. A write of less than a whole word changes nothing: no register could use one.
module ht_register_port #(
    parameter int ADDRESS_BITS = 12,
    parameter int READ_CYCLES = 2 // from read to read_data
) (
    input logic clock,
    input logic reset,

    input logic [ADDRESS_BITS-1:0] awaddr,
    input logic awvalid,
    output logic awready,
    input logic [31:0] wdata,
    input logic [3:0] wstrb,
    input logic wvalid,
    output logic wready,
    output logic [1:0] bresp,
    output logic bvalid,
    input logic bready,
    input logic [ADDRESS_BITS-1:0] araddr,
    input logic arvalid,
    output logic arready,
    output logic [31:0] rdata,
    output logic [1:0] rresp,
    output logic rvalid,
    input logic rready,

    // Each for one cycle.
    output logic write,
    output logic [ADDRESS_BITS-3:0] write_word,
    output logic [31:0] write_data,
    output logic read,
    output logic [ADDRESS_BITS-3:0] read_word,
    input logic [31:0] read_data
);
  assign bresp = 2'b00;
  assign rresp = 2'b00;

  logic has_address, has_data, is_whole;
  always_ff @(posedge clock) begin
    if (awvalid && awready) begin
      write_word <= awaddr[ADDRESS_BITS-1:2];
      has_address <= 1'b1;
    end
    if (wvalid && wready) begin
      write_data <= wdata;
      is_whole <= wstrb == 4'b1111;
      has_data <= 1'b1;
    end
    // Ready only while there is nothing: a second one would lose the first.
    awready <= !has_address && !(awvalid && awready) && !bvalid;
    wready <= !has_data && !(wvalid && wready) && !bvalid;
    write <= has_address && has_data && is_whole;
    if (has_address && has_data) begin
      has_address <= 1'b0;
      has_data <= 1'b0;
      bvalid <= 1'b1;
    end else if (bready) begin
      bvalid <= 1'b0;
    end
    if (reset) begin
      has_address <= 1'b0;
      has_data <= 1'b0;
      awready <= 1'b0;
      wready <= 1'b0;
      write <= 1'b0;
      bvalid <= 1'b0;
    end
  end

  logic [READ_CYCLES:0] under_way;
  always_ff @(posedge clock) begin
    if (arvalid && arready) read_word <= araddr[ADDRESS_BITS-1:2];
    read <= arvalid && arready;
    under_way <= {under_way[READ_CYCLES-1:0], arvalid && arready};
    arready <= !(arvalid && arready) && under_way == '0 && !rvalid;
    if (under_way[READ_CYCLES]) begin
      rdata <= read_data;
      rvalid <= 1'b1;
    end else if (rready) begin
      rvalid <= 1'b0;
    end
    if (reset) begin
      read <= 1'b0;
      under_way <= '0;
      arready <= 1'b0;
      rvalid <= 1'b0;
    end
  end
endmodule
