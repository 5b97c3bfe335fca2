// SPDX-License-Identifier: Apache-2.0
// Sends slots from the FIFO to the memory, burst after burst without a gap. The slots of a burst are offered as soon as the burst is
// decided, whether or not the memory has taken its address: AXI4 allows a memory to wait for WVALID before it asserts AWREADY (A3.3.1).
module ht_ring_beats (
    input logic clock,
    input logic reset,

    input logic burst, // decided in this cycle
    input logic [ht_ring_types::BURST_BITS-1:0] burst_slots,

    input logic slot_valid,
    output logic slot_pop,

    output logic wvalid,
    output logic wlast,
    input logic wready
);
  localparam int BURST_BITS = ht_ring_types::BURST_BITS;
  localparam int ID_BITS = ht_ring_types::ID_BITS;

  // Each of these bursts has an ID that the memory has not answered, so there are at most as many as IDs.
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
    if (burst) bursts[write_count[ID_BITS-1:0]] <= burst_slots;
  end

  always_ff @(posedge clock) begin
    if (burst) write_count <= write_count + 1'b1;
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
