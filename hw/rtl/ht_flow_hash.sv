// SPDX-License-Identifier: Apache-2.0
// The symmetric flow hash, CRC32C of the ordered endpoints and the protocol: hw/model/src/flow_hash.hpp. A packet each cycle, seven
// cycles each. A packet without a tuple has 0.
module ht_flow_hash (
    input logic clock,
    input fs_abi::packet_record_t record,
    output logic [31:0] flow_hash
);
  // Addresses as numbers: the first byte is the highest.
  function automatic logic [127:0] number(input logic [127:0] bytes);
    for (int i = 0; i < 16; i++) number[8*(15-i)+:8] = bytes[8*i+:8];
  endfunction

  // ---- Which endpoint is lower: three pieces of 48 bits, then all. ----
  logic [143:0] source, destination;
  assign source = {number(record.source_address), record.source_port};
  assign destination = {number(record.destination_address), record.destination_port};

  logic [2:0] is_less; // of the destination
  logic [2:1] is_equal;
  logic [127:0] source_address, destination_address;
  logic [15:0] source_port, destination_port;
  logic [7:0] protocol;
  logic has_tuple;
  always_ff @(posedge clock) begin
    for (int i = 0; i < 3; i++) begin
      is_less[i] <= destination[48*i+:48] < source[48*i+:48];
    end
    is_equal[1] <= destination[95:48] == source[95:48];
    is_equal[2] <= destination[143:96] == source[143:96];
    source_address <= record.source_address;
    destination_address <= record.destination_address;
    source_port <= record.source_port;
    destination_port <= record.destination_port;
    protocol <= record.protocol;
    has_tuple <= record.kind != fs_abi::RECORD_KIND_OTHER;
  end

  logic swaps;
  assign swaps = is_less[2] || (is_equal[2] && (is_less[1] || (is_equal[1] && is_less[0])));

  // ---- The 40 bytes that are hashed, eight each cycle; what is left of them waits in a line that gets shorter. ----
  logic [319:0] hashed_0;
  logic [255:0] hashed_1;
  logic [191:0] hashed_2;
  logic [127:0] hashed_3;
  logic [63:0] hashed_4;
  logic [31:0] state_1, state_2, state_3, state_4;
  logic [31:0] state_5;
  logic [5:0] tuples; // has_tuple on its way beside
  logic [15:0] lower_port, higher_port;
  assign lower_port = swaps ? destination_port : source_port;
  assign higher_port = swaps ? source_port : destination_port;

  always_ff @(posedge clock) begin
    hashed_0 <= {24'b0, protocol, ht_types::network16(higher_port), ht_types::network16(lower_port),
                 swaps ? source_address : destination_address, swaps ? destination_address : source_address};
    hashed_1 <= hashed_0[319:64];
    hashed_2 <= hashed_1[255:64];
    hashed_3 <= hashed_2[191:64];
    hashed_4 <= hashed_3[127:64];
    tuples <= {tuples[4:0], has_tuple};
  end

  ht_crc32c crc_1 (.clock(clock), .state(32'hFFFFFFFF), .word(hashed_0[63:0]), .next(state_1));
  ht_crc32c crc_2 (.clock(clock), .state(state_1), .word(hashed_1[63:0]), .next(state_2));
  ht_crc32c crc_3 (.clock(clock), .state(state_2), .word(hashed_2[63:0]), .next(state_3));
  ht_crc32c crc_4 (.clock(clock), .state(state_3), .word(hashed_3[63:0]), .next(state_4));
  ht_crc32c crc_5 (.clock(clock), .state(state_4), .word(hashed_4), .next(state_5));
  assign flow_hash = tuples[5] ? ~state_5 : 32'b0;
endmodule
