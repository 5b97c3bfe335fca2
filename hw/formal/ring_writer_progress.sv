// SPDX-License-Identifier: Apache-2.0
// ht_ring_writer at a memory that is never ready: the address and the data of a burst have to be offered all the same (AXI4, A3.3.1).
// Sources: fs_abi ht_ring_types ht_block_fifo ht_ring_bursts ht_ring_beats ht_ring_ledger ht_ring_writer
// Bounded: 24
module ring_writer_progress_formal (
    input logic clock,
    input logic reset,
    input logic place,
    input logic [1:0] slot
);
  localparam logic [3:0] MAX_CYCLES = 4'd8; // from the decision to place a slot to its burst at the port
  logic past_valid = 1'b0;
  always_ff @(posedge clock) past_valid <= 1'b1;
  always_comb if (!past_valid) assume (reset);

  logic placed, said_valid, slot_valid, can_place;
  logic [3:0] cycles; // since the first slot was placed
  logic was_placed;
  assign placed = place && can_place;
  always_ff @(posedge clock) begin
    said_valid <= placed && !reset;
    slot_valid <= said_valid && !reset;
    was_placed <= (was_placed || placed) && !reset;
    cycles <= !was_placed || reset ? 4'd0 : cycles == 4'd15 ? 4'd15 : cycles + 4'd1;
  end

  logic [63:0] head, awaddr;
  logic write_failed, all_written, awvalid, wvalid, wlast, bready;
  logic [3:0] awid;
  logic [7:0] awlen;
  logic [1:0] wdata;
  ht_ring_writer #(
      .WIDTH(2),
      .DEPTH_LOG2(5)
  ) writer (
      .clock(clock), .reset(reset), .base_address(64'd0), .last_index(22'd1023), .flush_cycles(32'd0), .flush_now(1'b1),
      .placed(placed), .can_place(can_place), .slot_valid(slot_valid), .slot(slot), .head(head), .write_failed(write_failed),
      .all_written(all_written), .awid(awid), .awaddr(awaddr), .awlen(awlen), .awvalid(awvalid), .awready(1'b0), .wdata(wdata),
      .wlast(wlast), .wvalid(wvalid), .wready(1'b0), .bid(4'd0), .bresp(2'd0), .bvalid(1'b0), .bready(bready));

  always_comb begin
    if (past_valid && !reset && was_placed && cycles >= MAX_CYCLES) begin
      address_waits_for_no_ready: assert (awvalid);
      data_waits_for_no_ready: assert (wvalid);
    end
  end
endmodule
