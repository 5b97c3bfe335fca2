// SPDX-License-Identifier: Apache-2.0
// The registers of docs/formats/card-registers.md, card_tap_registers. The words of the rules go to the classifier as they are.
module ht_tap_registers #(
    parameter logic [31:0] BUILD = 32'd0
) (
    input logic clock,
    input logic reset,

    input logic write,
    input logic [9:0] write_word,
    input logic [31:0] write_data,
    input logic read,
    input logic [9:0] read_word,
    output logic [31:0] read_data, // two cycles later

    output logic start, // for a cycle, as are sets_time and writes_table
    output logic stop, // until the kernel is idle
    input logic idle,
    input logic done,

    output logic ingress_port,
    output logic [14:0] key_group_mask,
    output logic classifying,

    output logic sets_time,
    output logic [63:0] set_time_ns,
    output logic [31:0] time_increment,
    output logic [31:0] tick_cycles,
    input logic [63:0] time_ns,

    output logic writes_table,
    output logic [14:0] table_key_group,
    output logic [2:0] table_ring,

    output logic writes_rule,
    output logic [9:0] rule_word,

    input logic [63:0] received_packets,
    input logic [63:0] received_bytes,
    input logic [63:0] bad_packets,
    input logic [63:0] filtered_packets,
    input logic [63:0] overflowed_packets,
    input logic [63:0] sent_packets
);
  localparam logic [9:0] CONTROL = fs_abi::CARD_TAP_REGISTERS_CONTROL_OFFSET[11:2];
  localparam logic [9:0] INGRESS_PORT = fs_abi::CARD_TAP_REGISTERS_INGRESS_PORT_OFFSET[11:2];
  localparam logic [9:0] MAX_PARALLELISM = fs_abi::CARD_TAP_REGISTERS_MAX_PARALLELISM_OFFSET[11:2];
  localparam logic [9:0] MAGIC = fs_abi::CARD_TAP_REGISTERS_MAGIC_OFFSET[11:2];
  localparam logic [9:0] VERSION = fs_abi::CARD_TAP_REGISTERS_VERSION_OFFSET[11:2];
  localparam logic [9:0] BUILD_NUMBER = fs_abi::CARD_TAP_REGISTERS_BUILD_OFFSET[11:2];
  localparam logic [9:0] TIME_INCREMENT = fs_abi::CARD_TAP_REGISTERS_TIME_INCREMENT_OFFSET[11:2];
  localparam logic [9:0] TIME_SET_HIGH = fs_abi::CARD_TAP_REGISTERS_TIME_SET_HIGH_OFFSET[11:2];
  localparam logic [9:0] TIME_SET_LOW = fs_abi::CARD_TAP_REGISTERS_TIME_SET_LOW_OFFSET[11:2];
  localparam logic [9:0] TICK_CYCLES = fs_abi::CARD_TAP_REGISTERS_TICK_CYCLES_OFFSET[11:2];
  localparam logic [9:0] TIME_NS = fs_abi::CARD_TAP_REGISTERS_TIME_NS_OFFSET[11:2];
  localparam logic [9:0] RECEIVED_PACKETS = fs_abi::CARD_TAP_REGISTERS_RECEIVED_PACKETS_OFFSET[11:2];
  localparam logic [9:0] RECEIVED_BYTES = fs_abi::CARD_TAP_REGISTERS_RECEIVED_BYTES_OFFSET[11:2];
  localparam logic [9:0] BAD_PACKETS = fs_abi::CARD_TAP_REGISTERS_BAD_PACKETS_OFFSET[11:2];
  localparam logic [9:0] FILTERED_PACKETS = fs_abi::CARD_TAP_REGISTERS_FILTERED_PACKETS_OFFSET[11:2];
  localparam logic [9:0] OVERFLOWED_PACKETS = fs_abi::CARD_TAP_REGISTERS_OVERFLOWED_PACKETS_OFFSET[11:2];
  localparam logic [9:0] SENT_PACKETS = fs_abi::CARD_TAP_REGISTERS_SENT_PACKETS_OFFSET[11:2];
  localparam logic [9:0] CLASSIFYING = fs_abi::CARD_TAP_REGISTERS_CLASSIFYING_OFFSET[11:2];
  localparam logic [9:0] TABLE_ADDRESS = fs_abi::CARD_TAP_REGISTERS_TABLE_ADDRESS_OFFSET[11:2];
  localparam logic [9:0] TABLE_RING = fs_abi::CARD_TAP_REGISTERS_TABLE_RING_OFFSET[11:2];
  localparam logic [9:0] RULES = fs_abi::CARD_TAP_REGISTERS_RULES_OFFSET[11:2];

  localparam logic [31:0] ONE_AT_300_MHZ = 32'h35555555; // 3.33 ns
  localparam logic [31:0] TICK_AT_300_MHZ = 32'd300000; // 1 ms

  logic [31:0] time_set_high;
  logic [15:0] max_parallelism;
  logic [14:0] table_address;

  logic [31:0] control;
  ht_kernel_control kernel_control (
      .clock(clock), .reset(reset), .write(write), .write_word(write_word), .write_data(write_data), .read(read), .read_word(read_word),
      .control(control), .start(start), .stop(stop), .idle(idle), .done(done));

  assign key_group_mask = 15'(max_parallelism - 16'd1);
  assign writes_rule = write && write_word >= RULES;
  assign rule_word = write_word - RULES;

  always_ff @(posedge clock) begin
    sets_time <= write && write_word == TIME_SET_LOW;
    set_time_ns <= {time_set_high, write_data};
    writes_table <= write && write_word == TABLE_RING;
    table_key_group <= table_address;
    table_ring <= write_data[2:0];
    if (write) begin
      case (write_word)
        INGRESS_PORT: ingress_port <= write_data[0];
        MAX_PARALLELISM: max_parallelism <= write_data[15:0];
        TIME_INCREMENT: time_increment <= write_data;
        TIME_SET_HIGH: time_set_high <= write_data;
        TICK_CYCLES: tick_cycles <= write_data;
        CLASSIFYING: classifying <= write_data[0];
        TABLE_ADDRESS: table_address <= write_data[14:0];
        TABLE_RING: table_address <= table_address + 15'd1;
        default: ;
      endcase
    end
    if (reset) begin
      ingress_port <= 1'b0;
      max_parallelism <= 16'd128;
      time_increment <= ONE_AT_300_MHZ;
      tick_cycles <= TICK_AT_300_MHZ;
      classifying <= 1'b0;
    end
  end

  // The high word stays what it was when the low one was read.
  logic [31:0] held_high;
  logic [63:0] counter;
  logic is_counter;
  always_comb begin
    is_counter = 1'b1;
    case (read_word)
      TIME_NS: counter = time_ns;
      RECEIVED_PACKETS: counter = received_packets;
      RECEIVED_BYTES: counter = received_bytes;
      BAD_PACKETS: counter = bad_packets;
      FILTERED_PACKETS: counter = filtered_packets;
      OVERFLOWED_PACKETS: counter = overflowed_packets;
      SENT_PACKETS: counter = sent_packets;
      default: begin
        counter = 64'b0;
        is_counter = 1'b0;
      end
    endcase
  end

  // First cycle: which. Second cycle: one of the two.
  logic [63:0] read_counter;
  logic [31:0] read_other;
  logic reads_counter, reads_high, was_read;
  always_ff @(posedge clock) begin
    was_read <= read;
    reads_counter <= is_counter;
    read_counter <= counter;
    reads_high <= read_word[0] == 1'b1 && read_word > TIME_NS && read_word <= SENT_PACKETS + 10'd1;
    case (read_word)
      CONTROL: read_other <= control;
      INGRESS_PORT: read_other <= {31'b0, ingress_port};
      MAX_PARALLELISM: read_other <= {16'b0, max_parallelism};
      MAGIC: read_other <= fs_abi::CARD_TAP_REGISTERS_MAGIC;
      VERSION: read_other <= fs_abi::CARD_TAP_REGISTERS_VERSION;
      BUILD_NUMBER: read_other <= BUILD;
      TIME_INCREMENT: read_other <= time_increment;
      TICK_CYCLES: read_other <= tick_cycles;
      CLASSIFYING: read_other <= {31'b0, classifying};
      TABLE_ADDRESS: read_other <= {17'b0, table_address};
      default: read_other <= 32'b0;
    endcase
    read_data <= reads_counter ? read_counter[31:0] : reads_high ? held_high : read_other;
    if (was_read && reads_counter) held_high <= read_counter[63:32];
  end
endmodule
