// SPDX-License-Identifier: Apache-2.0
// Frames in, records for rings out: each with its time, class and ring. Nothing waits: who lets a frame in has room for its record.
module ht_tap_pipeline (
    input logic clock,
    input logic reset,

    input logic frame_valid, // a frame, or, with frame_tick, a time alone
    input logic frame_tick,
    input logic [1023:0] frame_bytes,
    input logic [ht_types::LENGTH_BITS-1:0] frame_length,
    input logic [63:0] frame_time_ns,

    input logic ingress_port,
    input logic [14:0] key_group_mask,
    input logic classifying,
    input logic writes_rule,
    input logic [9:0] rule_word,
    input logic [31:0] write_data,
    input logic writes_table,
    input logic [14:0] table_key_group,
    input logic [2:0] table_ring,

    output logic out_valid,
    output logic out_tick,
    output logic out_drops, // a rule says so: it goes no further
    output logic [31:0] out_time_high,
    output logic [2:0] out_ring,
    output fs_abi::packet_record_t out_record
);
  // What each part takes. A change of a part shows in hw/sim/tap_test.cpp.
  localparam int PARSER_CYCLES = 24;
  localparam int HASH_CYCLES = 7;
  localparam int KEY_GROUP_CYCLES = 13;
  localparam int TABLE_CYCLES = 2;
  localparam int CLASS_CYCLES = 5;
  localparam int RING_CYCLES = HASH_CYCLES + KEY_GROUP_CYCLES + TABLE_CYCLES;
  localparam int ALL_CYCLES = PARSER_CYCLES + RING_CYCLES;

  logic [ALL_CYCLES-1:0] valids, ticks;
  always_ff @(posedge clock) begin
    valids <= reset ? '0 : {valids[ALL_CYCLES-2:0], frame_valid};
    ticks <= {ticks[ALL_CYCLES-2:0], frame_tick};
  end

  logic parsed_valid;
  fs_abi::packet_record_t parsed;
  ht_parser parser (
      .clock(clock), .reset(reset), .frame_valid(frame_valid), .frame_bytes(frame_bytes), .frame_length(frame_length),
      .record_valid(parsed_valid), .record(parsed));

  logic [ht_types::LENGTH_BITS-1:0] length;
  logic [63:0] time_ns;
  ht_delay #(.WIDTH(ht_types::LENGTH_BITS + 64), .CYCLES(PARSER_CYCLES)) beside_parser (
      .clock(clock), .in({frame_length, frame_time_ns}), .out({length, time_ns}));

  fs_abi::packet_record_t record;
  always_comb begin
    record = parsed;
    record.time_low = time_ns[31:0];
    record.frame_length = length;
    record.ingress_port = ingress_port;
  end

  logic [31:0] flow_hash, late_hash;
  logic [14:0] key_group;
  ht_flow_hash hash (.clock(clock), .record(record), .flow_hash(flow_hash));
  ht_key_group group (.clock(clock), .flow_hash(flow_hash), .mask(key_group_mask), .key_group(key_group));
  ht_ring_table rings (
      .clock(clock), .write(writes_table), .write_key_group(table_key_group), .write_ring(table_ring),
      .key_group(key_group), .ring(out_ring));
  ht_delay #(.WIDTH(32), .CYCLES(KEY_GROUP_CYCLES + TABLE_CYCLES)) beside_group (.clock(clock), .in(flow_hash), .out(late_hash));

  logic [4:0] traffic_class, late_class;
  logic drops;
  ht_classifier classifier (
      .clock(clock), .reset(reset), .write(writes_rule), .write_word(rule_word), .write_data(write_data), .classifying(classifying),
      .record(record), .traffic_class(traffic_class), .drops(drops));
  ht_delay #(.WIDTH(6), .CYCLES(RING_CYCLES - CLASS_CYCLES)) beside_ring (
      .clock(clock), .in({drops, traffic_class}), .out({out_drops, late_class}));

  fs_abi::packet_record_t late_record;
  ht_delay #(.WIDTH(512 + 32), .CYCLES(RING_CYCLES)) beside_all (
      .clock(clock), .in({time_ns[63:32], record}), .out({out_time_high, late_record}));

  assign out_valid = valids[ALL_CYCLES-1];
  assign out_tick = ticks[ALL_CYCLES-1];
  always_comb begin
    out_record = late_record;
    out_record.flow_hash = late_hash;
    out_record.traffic_class = late_class;
  end
endmodule
