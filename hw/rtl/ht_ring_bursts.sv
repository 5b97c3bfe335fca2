// SPDX-License-Identifier: Apache-2.0
// Slots that are about to be in the FIFO become write addresses: 16 slots at once up to the next multiple of 16, which is at most
// 1 KiB and never crosses 4 KiB nor the ring's end; or what there is, once no more has come for flush_cycles.
module ht_ring_bursts (
    input logic clock,
    input logic reset,
    input logic [63:0] base_address,
    input logic [ht_ring_types::INDEX_BITS-1:0] last_index,
    input logic [31:0] flush_cycles,
    input logic flush_now, // nothing more will come

    input logic placed, // a slot, which is in the FIFO a few cycles later
    output logic none_waiting,

    input logic can_send,
    output logic send,
    output logic [ht_ring_types::BURST_BITS-1:0] send_slots,
    input logic [ht_ring_types::ID_BITS-1:0] send_id,

    output logic [ht_ring_types::ID_BITS-1:0] awid,
    output logic [63:0] awaddr,
    output logic [7:0] awlen,
    output logic awvalid,
    input logic awready
);
  localparam int BURST_BITS = ht_ring_types::BURST_BITS;
  localparam int WAITING_BITS = 11; // more than the FIFO and the way to it hold
  localparam logic [BURST_BITS-1:0] BURST_SLOTS = fs_abi::CARD_RING_REGISTERS_BURST_SLOTS[BURST_BITS-1:0];

  logic [ht_ring_types::INDEX_BITS-1:0] index; // of the next burst's first slot
  logic [WAITING_BITS-1:0] waiting; // slots that no burst has yet
  logic was_placed;
  assign none_waiting = waiting == '0 && !was_placed;

  logic [BURST_BITS-1:0] longest;
  assign longest = BURST_SLOTS - {1'b0, index[3:0]};
  logic is_whole;
  assign is_whole = waiting >= {{(WAITING_BITS - BURST_BITS) {1'b0}}, longest};

  logic [31:0] patience;
  logic patience_over;

  localparam logic [1:0] GATHER = 2'd0; // decide
  localparam logic [1:0] SEND = 2'd1; // number it
  localparam logic [1:0] ADDRESS = 2'd2; // until the memory takes the address
  logic [1:0] state;

  assign send = state == SEND;
  assign awvalid = state == ADDRESS;

  always_ff @(posedge clock) begin
    was_placed <= placed && !reset;
    waiting <= waiting + {{(WAITING_BITS - 1) {1'b0}}, was_placed} -
               (send ? {{(WAITING_BITS - BURST_BITS) {1'b0}}, send_slots} : '0);
    if (was_placed) patience <= flush_cycles;
    else if (patience != '0) patience <= patience - 32'd1;
    patience_over <= (patience == '0 && !was_placed) || flush_now;

    case (state)
      GATHER: begin
        send_slots <= is_whole ? longest : waiting[BURST_BITS-1:0];
        if (can_send && (is_whole || (waiting != '0 && patience_over))) state <= SEND;
      end
      SEND: begin
        awid <= send_id;
        awaddr <= base_address + {{(58 - ht_ring_types::INDEX_BITS) {1'b0}}, index, 6'd0};
        awlen <= {3'd0, send_slots - 5'd1};
        index <= (index + {{(ht_ring_types::INDEX_BITS - BURST_BITS) {1'b0}}, send_slots}) & last_index;
        state <= ADDRESS;
      end
      default: if (awready) state <= GATHER;
    endcase

    if (reset) begin
      waiting <= '0;
      index <= '0;
      patience <= '0;
      patience_over <= 1'b0;
      state <= GATHER;
    end
  end
endmodule
