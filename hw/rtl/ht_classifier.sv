// SPDX-License-Identifier: Apache-2.0
// The first of 31 rules that a record meets, and what that says of it: docs/formats/card-registers.md. Five cycles.
module ht_classifier (
    input logic clock,
    input logic reset,

    input logic write, // a word of the rules
    input logic [9:0] write_word, // from the first word of the first rule on
    input logic [31:0] write_data,
    input logic classifying, // else every class is 0

    input fs_abi::packet_record_t record,
    output logic [4:0] traffic_class,
    output logic drops
);
  localparam int RULES = fs_abi::CARD_RULE_COUNT;
  localparam int RULE_WORDS = 24;
  localparam int KEY_WORDS = 11;
  localparam int MASK_WORD = {25'b0, fs_abi::CARD_RULE_MASK_OFFSET} / 4;
  localparam int VERDICT_WORD = {25'b0, fs_abi::CARD_RULE_VERDICT_OFFSET} / 4;

  logic [9:0] word;
  logic [31:0] word_data;
  logic has_word;
  always_ff @(posedge clock) begin
    word <= write_word;
    word_data <= write_data;
    has_word <= write;
  end

  // Class and generation come later.
  fs_abi::card_rule_key_t looked_at;
  always_comb begin
    looked_at.source_address = record.source_address;
    looked_at.destination_address = record.destination_address;
    looked_at.source_port = record.source_port;
    looked_at.destination_port = record.destination_port;
    looked_at.protocol = record.protocol;
    looked_at.tcp_flags = record.tcp_flags;
    looked_at.type_of_service = record.type_of_service;
    looked_at.time_to_live = record.time_to_live;
    looked_at.descriptor = {3'b0, record.kind, record.ingress_port, record.later_fragment, 5'b0, record.frame_length};
  end
  logic [32*KEY_WORDS-1:0] key;
  always_ff @(posedge clock) key <= looked_at;

  logic [RULES-1:0] met;
  logic [6*RULES-1:0] verdicts; // drops, and the class
  for (genvar i = 0; i < RULES; i++) begin : g_rule
    logic [32*KEY_WORDS-1:0] value, mask;
    logic [6:0] verdict;
    logic [KEY_WORDS-1:0] same;
    always_ff @(posedge clock) begin
      for (int j = 0; j < KEY_WORDS; j++) begin
        if (has_word && word == 10'(RULE_WORDS * i + j)) value[32*j+:32] <= word_data;
        if (has_word && word == 10'(RULE_WORDS * i + MASK_WORD + j)) mask[32*j+:32] <= word_data;
        same[j] <= ((key[32*j+:32] ^ value[32*j+:32]) & mask[32*j+:32]) == 32'b0;
      end
      if (has_word && word == 10'(RULE_WORDS * i + VERDICT_WORD)) verdict <= word_data[6:0];
      met[i] <= same == '1 && verdict[fs_abi::CARD_RULE_VALID_BIT] && classifying;
      if (reset) verdict <= 7'b0;
    end
    assign verdicts[6*i+:6] = verdict[5:0];
  end

  // The lowest bit that is set stands alone, and picks its verdict.
  logic [RULES-1:0] first;
  logic [5:0] found;
  always_comb begin
    found = 6'b0;
    for (int i = 0; i < RULES; i++) found = found | (first[i] ? verdicts[6*i+:6] : 6'b0);
  end
  always_ff @(posedge clock) begin
    first <= met & (~met + 1'b1);
    {drops, traffic_class} <= found;
  end
endmodule
