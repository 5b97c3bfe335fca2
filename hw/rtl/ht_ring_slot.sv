// SPDX-License-Identifier: Apache-2.0
// Makes the slot: in one cycle what it says, in the next the generation that its position has.
module ht_ring_slot (
    input logic clock,
    input logic reset,
    input logic [ht_ring_types::INDEX_BITS-1:0] last_index, // of the ring's slots

    input logic place_packet,
    input logic place_time,
    input logic place_loss,
    input logic is_time,
    input logic is_loss,

    input logic [511:0] record,
    input logic [63:0] time_ns,
    input logic [63:0] offered_packets,
    input logic [63:0] written_packets,
    input logic [63:0] dropped_packets,
    input logic [63:0] lost_packets,
    input logic [63:0] first_lost_ns,
    input logic [63:0] last_lost_ns,

    output logic slot_valid,
    output logic [511:0] slot
);
  // A struct of its own for each kind, so that each field has its name and its place from the layouts.
  fs_abi::packet_record_t control;
  fs_abi::time_record_t time_record;
  fs_abi::loss_record_t loss_record;
  always_comb begin
    control = '0;
    control.kind = is_loss ? fs_abi::RECORD_KIND_LOSS : fs_abi::RECORD_KIND_TIME;

    time_record = control;
    time_record.time_ns = time_ns;
    time_record.offered_packets = offered_packets;
    time_record.written_packets = written_packets;
    time_record.dropped_packets = dropped_packets;
    time_record.clock_trusted = 32'd1;

    // What the tap itself lost it counts in its registers: the fields for that stay zero.
    loss_record = control;
    loss_record.lost_packets = lost_packets;
    loss_record.first_lost_ns = first_lost_ns;
    loss_record.last_lost_ns = last_lost_ns;
    loss_record.dropped_packets = dropped_packets;
  end

  logic said_valid;
  logic [508:0] said; // all but the generation
  logic [511:0] says;
  assign says = is_loss ? loss_record : is_time ? time_record : record;
  always_ff @(posedge clock) begin
    said_valid <= (place_packet || place_time || place_loss) && !reset;
    said <= says[508:0];
  end

  logic [ht_ring_types::INDEX_BITS-1:0] index;
  logic [2:0] generation;
  logic wraps;
  assign wraps = index == last_index;

  always_ff @(posedge clock) begin
    slot_valid <= said_valid && !reset;
    slot <= {generation, said};
    if (said_valid) index <= wraps ? '0 : index + 1'b1;
    if (said_valid && wraps) generation <= generation == fs_abi::PACKET_RECORD_GENERATIONS[2:0] ? 3'd1 : generation + 3'd1;
    if (reset) begin
      index <= '0;
      generation <= 3'd1;
    end
  end
endmodule
