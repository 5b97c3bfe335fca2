// SPDX-License-Identifier: Apache-2.0
// A frame's first 128 bytes in, its record out, PARSER_CYCLES later: but for the time, the frame's length, the port, the flow hash and
// the class, which others add. A frame each cycle; it never waits.
module ht_parser (
    input logic clock,
    input logic reset,
    input logic frame_valid,
    input logic [1023:0] frame_bytes,
    input logic [ht_types::LENGTH_BITS-1:0] frame_length,
    output logic record_valid,
    output fs_abi::packet_record_t record
);
  ht_types::walk_t walk;
  ht_types::network_t network;
  logic [8*ht_types::SEGMENT_BYTES-1:0] segment;

  ht_link link (.clock(clock), .reset(reset), .frame_valid(frame_valid), .frame_bytes(frame_bytes), .frame_length(frame_length), .walk(walk));
  ht_network network_layer (.clock(clock), .reset(reset), .walk(walk), .network(network), .segment(segment));
  ht_transport transport (.clock(clock), .reset(reset), .network(network), .segment(segment), .record_valid(record_valid), .record(record));
endmodule
