// SPDX-License-Identifier: Apache-2.0
// What becomes of an item: it places at most one record each cycle, so an item for which a LOSS or TIME record comes first stays for
// one or two cycles more. A packet for which there is not room for all of that is dropped at once.
module ht_ring_decide (
    input logic clock,
    input logic reset,
    input logic [ht_ring_types::COUNT_BITS-1:0] slots, // of the ring

    input logic can_place, // a record
    input logic [ht_ring_types::COUNT_BITS-1:0] released, // slots that the host gave back in the last cycle

    input logic valid,
    input logic is_tick,
    input logic is_last,
    input logic needs_time,

    output logic done, // with the item
    output logic place_packet,
    output logic place_time,
    output logic place_loss,
    output logic is_time, // what it places, if anything: known before it is known whether there is room
    output logic is_loss,
    output logic drop_packet,
    output logic full // the latest packet found no room
);
  localparam int COUNT_BITS = ht_ring_types::COUNT_BITS;

  // Room for n records and what must stay free behind them. Each flag follows the records placed at once, and the slots given back
  // one cycle later than free_slots: who asks sees a flag, no subtraction.
  localparam logic [COUNT_BITS-1:0] ONE_CONTROL = ht_ring_types::FREE_BEHIND_CONTROL + 23'd1;
  localparam logic [COUNT_BITS-1:0] TWO_CONTROLS = ht_ring_types::FREE_BEHIND_CONTROL + 23'd2;
  localparam logic [COUNT_BITS-1:0] FREE_BEHIND_PACKET = fs_abi::RING_FILE_HEADER_RESERVED_SLOTS[COUNT_BITS-1:0];
  localparam logic [COUNT_BITS-1:0] PACKET = FREE_BEHIND_PACKET + 23'd1;
  localparam logic [COUNT_BITS-1:0] PACKET_AND_ONE = FREE_BEHIND_PACKET + 23'd2;
  localparam logic [COUNT_BITS-1:0] PACKET_AND_TWO = FREE_BEHIND_PACKET + 23'd3;

  logic [COUNT_BITS-1:0] free_slots;
  logic room_for_control, room_for_two_controls, room_for_packet, room_for_packet_and_one, room_for_packet_and_two;
  logic placed;
  assign placed = place_packet || place_time || place_loss;

  function automatic logic leaves_room(input logic [COUNT_BITS-1:0] free, input logic one_less,
                                       input logic [COUNT_BITS-1:0] needed);
    leaves_room = one_less ? free > needed : free >= needed;
  endfunction

  always_ff @(posedge clock) begin
    free_slots <= placed ? free_slots + released - 23'd1 : free_slots + released;
    room_for_control <= leaves_room(free_slots, placed, ONE_CONTROL);
    room_for_two_controls <= leaves_room(free_slots, placed, TWO_CONTROLS);
    room_for_packet <= leaves_room(free_slots, placed, PACKET);
    room_for_packet_and_one <= leaves_room(free_slots, placed, PACKET_AND_ONE);
    room_for_packet_and_two <= leaves_room(free_slots, placed, PACKET_AND_TWO);
    if (reset) free_slots <= slots;
  end

  // Slots since the latest TIME record. A packet behind a LOSS record stands one slot further, so with one to come the time is
  // looked for one slot earlier: LOSS never turns a packet that needs no TIME into one that does.
  logic [16:0] slots_since_time;
  logic is_old, is_nearly_old;
  logic untold_loss;
  logic is_packet, needs_time_now;
  assign is_packet = !is_tick && !is_last;
  assign needs_time_now = needs_time || (is_packet && (is_old || (untold_loss && is_nearly_old)));

  assign is_loss = untold_loss;
  assign is_time = needs_time_now && !untold_loss;

  // The last LOSS and TIME need not ask: control records in mid-stream leave FREE_BEHIND_CONTROL slots.
  logic fits_packet, fits_control, fits, wanted;
  assign fits_packet = untold_loss && needs_time_now ? room_for_packet_and_two
                     : untold_loss || needs_time_now ? room_for_packet_and_one : room_for_packet;
  assign fits_control = untold_loss ? room_for_two_controls : room_for_control;
  assign fits = is_packet ? fits_packet : is_last || fits_control;
  assign wanted = is_packet || needs_time_now || (is_last && untold_loss);

  logic decides;
  assign decides = valid && can_place;
  assign place_loss = decides && wanted && fits && untold_loss;
  assign place_time = decides && wanted && fits && !untold_loss && needs_time_now;
  assign place_packet = decides && is_packet && fits && !untold_loss && !needs_time_now;
  assign drop_packet = decides && is_packet && !fits;
  assign done = decides && (!wanted || !fits || (!untold_loss && !(is_packet && needs_time_now)));

  always_ff @(posedge clock) begin
    if (place_time) begin
      slots_since_time <= 17'd1;
      is_old <= 1'b0;
      is_nearly_old <= 1'b0;
    end else if (placed) begin
      slots_since_time <= slots_since_time + 17'd1;
      is_old <= slots_since_time >= ht_ring_types::TIME_INTERVAL_SLOTS - 17'd1;
      is_nearly_old <= slots_since_time >= ht_ring_types::TIME_INTERVAL_SLOTS - 17'd2;
    end
    untold_loss <= (untold_loss || drop_packet) && !place_loss;
    full <= (full || drop_packet) && !place_packet;
    if (reset) begin
      slots_since_time <= '0;
      is_old <= 1'b0;
      is_nearly_old <= 1'b0;
      untold_loss <= 1'b0;
      full <= 1'b0;
    end
  end
endmodule
