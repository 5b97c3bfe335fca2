// SPDX-License-Identifier: Apache-2.0
// Sends the records of two ports to the rings in turn, one in each cycle. While the ring of a port's next record has no room, this port
// waits and the other one continues. A tick waits for no ring: a ring without room does not receive it. The tap sends the next tick
// within a millisecond, and a ring without room has records to write, which have times of their own.
module ht_ring_merge (
    input logic clock,
    input logic reset,
    input logic clear, // a start: no port has said anything yet
    input logic [ht_ring_types::RINGS-1:0] rings_in_use,

    input logic [1:0] valid,
    input ht_ring_types::beat_t beat_0,
    input ht_ring_types::beat_t beat_1,
    output logic [1:0] pop,

    // Once the ports have nothing more: told to every ring.
    input logic send_last,
    output logic last_sent,

    input logic [ht_ring_types::RINGS-1:0] room, // for 8 items: so many can be on their way when it falls
    output logic [ht_ring_types::RINGS-1:0] item_rings, // none: no item
    output ht_ring_types::item_t item,
    output logic [511:0] item_record,

    output logic misdirected_packet,
    output logic idle
);
  logic [1:0] ready;
  assign ready[0] = valid[0] && (beat_0.is_tick || (beat_0.rings & ~room) == '0);
  assign ready[1] = valid[1] && (beat_1.is_tick || (beat_1.rings & ~room) == '0);

  logic turn; // of port 1, where both are ready
  logic pick_0, pick_1;
  assign pick_1 = ready[1] && (!ready[0] || turn);
  assign pick_0 = ready[0] && !pick_1;
  assign pop = {pick_1, pick_0};

  logic take_last;
  assign take_last = send_last && !last_sent && (rings_in_use & ~room) == '0;

  logic picked_valid, picked_last, picked_port;
  ht_ring_types::beat_t picked, next;
  assign next = pick_1 ? beat_1 : beat_0;
  always_ff @(posedge clock) begin
    picked_valid <= pick_0 || pick_1;
    picked_last <= take_last;
    last_sent <= take_last;
    picked_port <= pick_1;
    picked <= next;
    if (next.is_tick) picked.rings <= next.rings & room;
    if (take_last) picked.rings <= rings_in_use;
    if (pick_0 || pick_1) turn <= pick_0;
    if (reset) begin
      picked_valid <= 1'b0;
      picked_last <= 1'b0;
      last_sent <= 1'b0;
      turn <= 1'b0;
    end
  end

  fs_abi::packet_record_t picked_record;
  assign picked_record = picked.record;
  logic [63:0] picked_time_ns;
  assign picked_time_ns = {picked.time_high, picked_record.time_low};

  // How far each port has come.
  logic [63:0] port_0_ns, port_1_ns;
  logic port_0_known, port_1_known;
  always_ff @(posedge clock) begin
    if (picked_valid && !picked_port) port_0_ns <= picked_time_ns;
    if (picked_valid && picked_port) port_1_ns <= picked_time_ns;
    port_0_known <= (port_0_known || (picked_valid && !picked_port)) && !clear;
    port_1_known <= (port_1_known || (picked_valid && picked_port)) && !clear;
  end

  logic [ht_ring_types::RINGS-1:0] dated_rings;
  logic dated_tick, dated_last;
  logic [63:0] dated_ns;
  fs_abi::packet_record_t dated_record;
  always_ff @(posedge clock) begin
    misdirected_packet <= picked_valid && !picked.is_tick && picked.rings == '0;
    dated_rings <= picked_valid || picked_last ? picked.rings : '0;
    dated_tick <= picked.is_tick && !picked_last;
    dated_last <= picked_last;
    dated_ns <= picked_time_ns;
    dated_record <= picked_record;
    if (reset) begin
      misdirected_packet <= 1'b0;
      dated_rings <= '0;
    end
  end

  // No later packet of either port is earlier than this. A port that never sent anything since the start does not count.
  logic [63:0] settled_ns;
  assign settled_ns = port_0_known && (!port_1_known || port_0_ns < port_1_ns) ? port_0_ns : port_1_ns;

  always_ff @(posedge clock) begin
    item_rings <= dated_rings;
    item.is_tick <= dated_tick;
    item.is_last <= dated_last;
    item.time_known <= port_0_known || port_1_known;
    item.time_ns <= dated_tick || dated_last ? settled_ns : dated_ns;
    item.frame_length <= dated_record.frame_length;
    item_record <= dated_record;
    if (reset) item_rings <= '0;
  end

  assign idle = !picked_valid && !picked_last && dated_rings == '0 && item_rings == '0;
endmodule
