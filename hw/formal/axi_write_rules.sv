// SPDX-License-Identifier: Apache-2.0
// The rules of an AXI4 write port with beats of 64 bytes. The rules of the manager, which is the kernel, are asserted. The rules of the
// subordinate, which is the memory, are assumed. IDs are in turn, so the number of a burst gives its ID.
module axi_write_rules #(
    parameter int WIDTH = 8 // of the data
) (
    input logic clock,
    input logic reset,
    input logic [3:0] awid,
    input logic [63:0] awaddr,
    input logic [7:0] awlen,
    input logic awvalid,
    input logic awready,
    input logic [WIDTH-1:0] wdata,
    input logic wlast,
    input logic wvalid,
    input logic wready,
    input logic [3:0] bid,
    input logic [1:0] bresp,
    input logic bvalid,
    input logic bready,

    // Bursts since the reset, modulo 32: address taken, last data taken.
    output logic [4:0] address_count,
    output logic [4:0] data_count,
    output logic [4:0] beat, // of the burst whose data is next: beats that were taken
    output logic [63:0] lengths, // by ID: AWLEN of the latest burst whose address was taken
    output logic [15:0] address_open, // by ID: taken and not answered, both
    output logic [15:0] data_written
);
  logic past_valid = 1'b0;
  logic past_reset, past_awvalid, past_awready, past_wvalid, past_wready, past_wlast, past_bvalid, past_bready;
  logic [3:0] past_awid, past_bid;
  logic [63:0] past_awaddr;
  logic [7:0] past_awlen;
  logic [WIDTH-1:0] past_wdata;
  logic [1:0] past_bresp;
  always_ff @(posedge clock) begin
    past_valid <= 1'b1;
    past_reset <= reset;
    {past_awid, past_awaddr, past_awlen, past_awvalid, past_awready} <= {awid, awaddr, awlen, awvalid, awready};
    {past_wdata, past_wlast, past_wvalid, past_wready} <= {wdata, wlast, wvalid, wready};
    {past_bid, past_bresp, past_bvalid, past_bready} <= {bid, bresp, bvalid, bready};
  end

  // ---- Counts ----
  logic [3:0] data_id;
  assign data_id = data_count[3:0];
  always_ff @(posedge clock) begin
    if (awvalid && awready) begin
      lengths[4*awid+:4] <= awlen[3:0];
      address_count <= address_count + 5'd1;
      address_open[awid] <= 1'b1;
    end
    if (wvalid && wready) begin
      beat <= wlast ? 5'd0 : beat + 5'd1;
      if (wlast) begin
        data_count <= data_count + 5'd1;
        data_written[data_id] <= 1'b1;
      end
    end
    if (bvalid && bready) begin
      address_open[bid] <= 1'b0;
      data_written[bid] <= 1'b0;
    end
    if (reset) begin
      address_count <= '0;
      data_count <= '0;
      beat <= '0;
      address_open <= '0;
      data_written <= '0;
    end
  end

  logic [4:0] data_behind; // bursts whose address was offered and whose data was not all taken
  assign data_behind = address_count + {4'd0, awvalid} - data_count;
  logic [3:0] data_length; // AWLEN of the burst whose data is next
  assign data_length = data_count == address_count ? awlen[3:0] : lengths[4*data_id+:4];

  // ---- The subordinate ----
  always_comb begin
    if (bvalid) assume (address_open[bid] && data_written[bid]); // an answer follows the address and the last data
    if (past_valid && !past_reset && past_bvalid && !past_bready) assume (bvalid && bid == past_bid && bresp == past_bresp);
    if (!past_valid || past_reset) assume (!bvalid);
  end

  // ---- The manager ----
  always_comb begin
    if (past_valid && past_reset) begin
      no_valid_after_reset: assert (!awvalid && !wvalid);
    end
    if (past_valid && !past_reset && !reset) begin
      if (past_awvalid && !past_awready) begin
        address_is_held: assert (awvalid && awid == past_awid && awaddr == past_awaddr && awlen == past_awlen);
      end
      if (past_wvalid && !past_wready) begin
        data_is_held: assert (wvalid && wlast == past_wlast && wdata == past_wdata);
      end
      if (awvalid) begin
        burst_is_aligned: assert (awaddr[5:0] == 6'd0);
        burst_is_short: assert (awlen <= 8'd15);
        burst_stays_in_4_kib: assert ({2'b0, awaddr[11:6]} + awlen <= 8'd63);
        id_is_in_turn: assert (awid == address_count[3:0]);
        id_is_free: assert (!address_open[awid]);
      end
      if (wvalid) begin
        data_has_an_address: assert (data_behind != 5'd0);
        last_is_at_length: assert (wlast == (beat == {1'b0, data_length}));
      end
      if (bvalid) begin
        answer_is_taken: assert (bready);
      end
    end
  end
endmodule
