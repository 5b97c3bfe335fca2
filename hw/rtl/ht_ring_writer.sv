// SPDX-License-Identifier: Apache-2.0
// Writes the slots of one ring to the card's memory, through one AXI4 write port, and moves the head when the memory has answered.
//
//   slot -> FIFO -> beats -> W
//   placed -> bursts -> AW      B -> ledger -> head
module ht_ring_writer #(
    parameter int WIDTH = 512, // of a slot
    parameter int DEPTH_LOG2 = 9 // of the FIFO
) (
    input logic clock,
    input logic reset,
    input logic [63:0] base_address, // a multiple of 4096
    input logic [ht_ring_types::INDEX_BITS-1:0] last_index,
    input logic [31:0] flush_cycles,
    input logic flush_now, // no more slots follow

    input logic placed, // a slot, which is valid here two cycles later; only while can_place
    output logic can_place,
    input logic slot_valid,
    input logic [WIDTH-1:0] slot,

    output logic [63:0] head,
    output logic write_failed,
    output logic all_written, // the memory has answered the write of every slot

    output logic [ht_ring_types::ID_BITS-1:0] awid,
    output logic [63:0] awaddr,
    output logic [7:0] awlen,
    output logic awvalid,
    input logic awready,
    output logic [WIDTH-1:0] wdata,
    output logic wlast,
    output logic wvalid,
    input logic wready,
    input logic [ht_ring_types::ID_BITS-1:0] bid,
    input logic [1:0] bresp,
    input logic bvalid,
    output logic bready
);
  logic stored_valid, stored_pop, unused_empty;
  ht_block_fifo #(
      .WIDTH(WIDTH),
      .DEPTH_LOG2(DEPTH_LOG2),
      .MARGIN(8)
  ) stored (
      .clock(clock),
      .reset(reset),
      .push(slot_valid),
      .push_data(slot),
      .has_room(can_place),
      .valid(stored_valid),
      .data(wdata),
      .pop(stored_pop),
      .empty(unused_empty)
  );

  logic send, can_send, none_waiting, all_answered;
  logic [ht_ring_types::BURST_BITS-1:0] send_slots;
  logic [ht_ring_types::ID_BITS-1:0] send_id;
  ht_ring_bursts bursts (
      .clock(clock),
      .reset(reset),
      .base_address(base_address),
      .last_index(last_index),
      .flush_cycles(flush_cycles),
      .flush_now(flush_now),
      .placed(placed),
      .none_waiting(none_waiting),
      .can_send(can_send),
      .send(send),
      .send_slots(send_slots),
      .send_id(send_id),
      .awid(awid),
      .awaddr(awaddr),
      .awlen(awlen),
      .awvalid(awvalid),
      .awready(awready)
  );
  ht_ring_beats beats (
      .clock(clock),
      .reset(reset),
      .burst(send),
      .burst_slots(send_slots),
      .slot_valid(stored_valid),
      .slot_pop(stored_pop),
      .wvalid(wvalid),
      .wlast(wlast),
      .wready(wready)
  );

  assign bready = 1'b1;
  ht_ring_ledger ledger (
      .clock(clock),
      .reset(reset),
      .send(send),
      .send_slots(send_slots),
      .send_id(send_id),
      .can_send(can_send),
      .all_answered(all_answered),
      .answer(bvalid),
      .answer_id(bid),
      .answer_refused(bresp[1]), // SLVERR or DECERR
      .head(head),
      .write_failed(write_failed)
  );
  assign all_written = none_waiting && all_answered;
endmodule
