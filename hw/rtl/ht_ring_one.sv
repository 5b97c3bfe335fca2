// SPDX-License-Identifier: Apache-2.0
// One ring: items in, slots in the card's memory out.
//
//   item -> queue -> clock -> decide -> slot -> writer -> AW, W      B -> writer -> head
//                      (looks ahead)
module ht_ring_one (
    input logic clock,
    input logic clear, // a reset or a start: position 0, counters 0
    input logic in_use,
    input logic [63:0] base_address,
    input logic [ht_ring_types::COUNT_BITS-1:0] slots,
    input logic [31:0] flush_cycles,

    input logic item_valid,
    input ht_ring_types::item_t item,
    input logic [511:0] item_record,
    output logic room,
    output logic finished, // the last item is done with, and the memory has answered everything

    input logic write_credit,
    input logic [31:0] write_data,
    input logic read,
    input logic [3:0] read_word,
    output logic [31:0] read_data,

    output logic [ht_ring_types::ID_BITS-1:0] awid,
    output logic [63:0] awaddr,
    output logic [7:0] awlen,
    output logic awvalid,
    input logic awready,
    output logic [511:0] wdata,
    output logic wlast,
    output logic wvalid,
    input logic wready,
    input logic [ht_ring_types::ID_BITS-1:0] bid,
    input logic [1:0] bresp,
    input logic bvalid,
    output logic bready
);
  logic reset;
  logic [ht_ring_types::INDEX_BITS-1:0] last_index;
  always_ff @(posedge clock) begin
    reset <= clear;
    last_index <= slots[ht_ring_types::INDEX_BITS-1:0] - 1'b1;
  end

  // Rings stand apart on the chip: what comes to all of them is held once more for each.
  logic near_valid;
  ht_ring_types::item_t near_item;
  logic [511:0] near_record;
  always_ff @(posedge clock) begin
    near_valid <= item_valid && !reset;
    near_item <= item;
    near_record <= item_record;
  end

  logic ahead_valid, take, item_done, told;
  ht_ring_types::item_t ahead;
  logic [511:0] record;
  ht_ring_queue queue (
      .clock(clock),
      .reset(reset),
      .push(near_valid),
      .push_item(near_item),
      .push_record(near_record),
      .room(room),
      .ahead_valid(ahead_valid),
      .ahead(ahead),
      .take(take && ahead_valid),
      .go_back(told),
      .record(record),
      .done(item_done)
  );

  logic decide_valid, needs_time;
  ht_ring_types::item_t decide_item;
  logic [63:0] time_to_tell_ns;
  ht_ring_clock ring_clock (
      .clock(clock),
      .reset(reset),
      .ahead_valid(ahead_valid),
      .ahead(ahead),
      .take(take),
      .valid(decide_valid),
      .item(decide_item),
      .needs_time(needs_time),
      .time_to_tell_ns(time_to_tell_ns),
      .done(item_done),
      .told(told)
  );

  logic can_place, place_packet, place_time, place_loss, is_time, is_loss, drop_packet, full;
  logic [ht_ring_types::COUNT_BITS-1:0] released;
  ht_ring_decide decide (
      .clock(clock),
      .reset(reset),
      .slots(slots),
      .can_place(can_place),
      .released(released),
      .valid(decide_valid),
      .is_tick(decide_item.is_tick),
      .is_last(decide_item.is_last),
      .needs_time(needs_time),
      .done(item_done),
      .place_packet(place_packet),
      .place_time(place_time),
      .place_loss(place_loss),
      .is_time(is_time),
      .is_loss(is_loss),
      .drop_packet(drop_packet),
      .full(full)
  );
  assign told = place_time;

  logic [63:0] offered_packets, offered_bytes, written_packets, dropped_packets, lost_recorded;
  logic [63:0] lost_packets, first_lost_ns, last_lost_ns;
  ht_ring_counters counters (
      .clock(clock),
      .reset(reset),
      .time_ns(decide_item.time_ns),
      .frame_length(decide_item.frame_length),
      .place_packet(place_packet),
      .drop_packet(drop_packet),
      .place_loss(place_loss),
      .offered_packets(offered_packets),
      .offered_bytes(offered_bytes),
      .written_packets(written_packets),
      .dropped_packets(dropped_packets),
      .lost_recorded(lost_recorded),
      .lost_packets(lost_packets),
      .first_lost_ns(first_lost_ns),
      .last_lost_ns(last_lost_ns)
  );

  logic slot_valid;
  logic [511:0] slot;
  ht_ring_slot ring_slot (
      .clock(clock),
      .reset(reset),
      .last_index(last_index),
      .place_packet(place_packet),
      .place_time(place_time),
      .place_loss(place_loss),
      .is_time(is_time),
      .is_loss(is_loss),
      .record(record),
      .time_ns(time_to_tell_ns),
      .offered_packets(offered_packets),
      .written_packets(written_packets),
      .dropped_packets(dropped_packets),
      .lost_packets(lost_packets),
      .first_lost_ns(first_lost_ns),
      .last_lost_ns(last_lost_ns),
      .slot_valid(slot_valid),
      .slot(slot)
  );

  logic is_over;
  always_ff @(posedge clock) is_over <= (is_over || (decide_valid && decide_item.is_last && item_done)) && !reset;

  logic all_written, write_failed;
  logic [63:0] head;
  ht_ring_writer writer (
      .clock(clock),
      .reset(reset),
      .base_address(base_address),
      .last_index(last_index),
      .flush_cycles(flush_cycles),
      .flush_now(is_over),
      .placed(place_packet || place_time || place_loss),
      .can_place(can_place),
      .slot_valid(slot_valid),
      .slot(slot),
      .head(head),
      .write_failed(write_failed),
      .all_written(all_written),
      .awid(awid),
      .awaddr(awaddr),
      .awlen(awlen),
      .awvalid(awvalid),
      .awready(awready),
      .wdata(wdata),
      .wlast(wlast),
      .wvalid(wvalid),
      .wready(wready),
      .bid(bid),
      .bresp(bresp),
      .bvalid(bvalid),
      .bready(bready)
  );
  assign finished = !in_use || (is_over && all_written);

  logic [31:0] credit;
  ht_ring_credit ring_credit (
      .clock(clock),
      .reset(reset),
      .write(write_credit),
      .write_data(write_data),
      .head_low(head[31:0]),
      .credit_low(credit),
      .released(released)
  );

  ht_ring_status ring_status (
      .clock(clock),
      .read(read),
      .read_word(read_word),
      .read_data(read_data),
      .credit(credit),
      .full(full),
      .write_failed(write_failed),
      .head(head),
      .offered_packets(offered_packets),
      .written_packets(written_packets),
      .dropped_packets(dropped_packets),
      .lost_recorded(lost_recorded),
      .offered_bytes(offered_bytes)
  );
endmodule
