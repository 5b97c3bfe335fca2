// SPDX-License-Identifier: Apache-2.0
// Slots from the FIFO to the memory, burst behind burst without a gap. A burst's slots go once its address was taken.
module ht_ring_beats (
    input logic clock,
    input logic reset,

    input logic follow,
    input logic [ht_ring_types::BURST_BITS-1:0] follow_slots,

    input logic slot_valid,
    output logic slot_pop,

    output logic wvalid,
    output logic wlast,
    input logic wready
);
  localparam int BURST_BITS = ht_ring_types::BURST_BITS;
  localparam int ID_BITS = ht_ring_types::ID_BITS;

  // As many as there are ids.
  logic [BURST_BITS-1:0] bursts[0:(1<<ID_BITS)-1];
  logic [ID_BITS:0] write_count, read_count;
  logic has_next, start;
  logic [BURST_BITS-1:0] next_slots;
  assign has_next = write_count != read_count;
  assign next_slots = bursts[read_count[ID_BITS-1:0]];

  logic [BURST_BITS-1:0] left;
  logic is_sending;
  assign wvalid = is_sending && slot_valid;
  assign slot_pop = wvalid && wready;
  assign start = has_next && (!is_sending || (slot_pop && wlast));

  always_ff @(posedge clock) begin
    if (follow) bursts[write_count[ID_BITS-1:0]] <= follow_slots;
  end

  always_ff @(posedge clock) begin
    if (follow) write_count <= write_count + 1'b1;
    if (start) begin
      read_count <= read_count + 1'b1;
      left <= next_slots;
      wlast <= next_slots == 5'd1;
      is_sending <= 1'b1;
    end else if (slot_pop) begin
      left <= left - 5'd1;
      wlast <= left == 5'd2;
      is_sending <= !wlast;
    end
    if (reset) begin
      write_count <= '0;
      read_count <= '0;
      is_sending <= 1'b0;
    end
  end
endmodule
