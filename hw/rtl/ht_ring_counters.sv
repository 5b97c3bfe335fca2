// SPDX-License-Identifier: Apache-2.0
// What a ring has been offered and what became of it. offered and offered_bytes count when a packet's fate is known, so that
// offered = written + dropped at any time, and a record that stands before a packet does not count it.
module ht_ring_counters (
    input logic clock,
    input logic reset,

    input logic [63:0] time_ns, // of the packet
    input logic [18:0] frame_length,
    input logic place_packet,
    input logic drop_packet,
    input logic place_loss,

    output logic [63:0] offered_packets,
    output logic [63:0] offered_bytes,
    output logic [63:0] written_packets,
    output logic [63:0] dropped_packets,
    output logic [63:0] lost_recorded,

    // Since the latest LOSS record.
    output logic [63:0] lost_packets,
    output logic [63:0] first_lost_ns,
    output logic [63:0] last_lost_ns
);
  logic is_met;
  logic [18:0] met_length;
  logic has_loss;

  always_ff @(posedge clock) begin
    if (place_packet || drop_packet) offered_packets <= offered_packets + 64'd1;
    if (place_packet) written_packets <= written_packets + 64'd1;
    if (drop_packet) dropped_packets <= dropped_packets + 64'd1;

    // No record tells of bytes, so they may come a cycle later.
    is_met <= place_packet || drop_packet;
    met_length <= frame_length;
    if (is_met) offered_bytes <= offered_bytes + {45'd0, met_length};

    if (place_loss) lost_recorded <= lost_recorded + lost_packets;
    if (place_loss) lost_packets <= '0;
    else if (drop_packet) lost_packets <= lost_packets + 64'd1;
    has_loss <= (has_loss || drop_packet) && !place_loss;
    if (drop_packet) last_lost_ns <= time_ns;
    if (drop_packet && !has_loss) first_lost_ns <= time_ns;

    if (reset) begin
      offered_packets <= '0;
      written_packets <= '0;
      dropped_packets <= '0;
      is_met <= 1'b0;
      offered_bytes <= '0;
      lost_recorded <= '0;
      lost_packets <= '0;
      has_loss <= 1'b0;
    end
  end
endmodule
