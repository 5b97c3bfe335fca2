// SPDX-License-Identifier: Apache-2.0
// The registers of docs/formats/card-registers.md, card_source_registers.
module ht_pcapsrc_registers #(
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

    output logic start,
    output logic stop,
    input logic idle,
    input logic done,

    // Arguments; they change only while the kernel is idle.
    output logic [63:0] base_address,
    output logic [31:0] units,
    output logic [31:0] rounds,
    output logic [31:0] gap_cycles,

    input logic sent_packet,
    input logic [6:0] sent_beat_bytes,
    input logic read_failed,
    input logic cut_short
);
  localparam logic [9:0] CONTROL = fs_abi::CARD_SOURCE_REGISTERS_CONTROL_OFFSET[11:2];
  localparam logic [9:0] BASE = fs_abi::CARD_SOURCE_REGISTERS_BASE_ADDRESS_OFFSET[11:2];
  localparam logic [9:0] UNITS = fs_abi::CARD_SOURCE_REGISTERS_UNITS_OFFSET[11:2];
  localparam logic [9:0] ROUNDS = fs_abi::CARD_SOURCE_REGISTERS_ROUNDS_OFFSET[11:2];
  localparam logic [9:0] MAGIC = fs_abi::CARD_SOURCE_REGISTERS_MAGIC_OFFSET[11:2];
  localparam logic [9:0] VERSION = fs_abi::CARD_SOURCE_REGISTERS_VERSION_OFFSET[11:2];
  localparam logic [9:0] BUILD_NUMBER = fs_abi::CARD_SOURCE_REGISTERS_BUILD_OFFSET[11:2];
  localparam logic [9:0] GAP = fs_abi::CARD_SOURCE_REGISTERS_GAP_CYCLES_OFFSET[11:2];
  localparam logic [9:0] STATUS = fs_abi::CARD_SOURCE_REGISTERS_STATUS_OFFSET[11:2];
  localparam logic [9:0] SENT_PACKETS = fs_abi::CARD_SOURCE_REGISTERS_SENT_PACKETS_OFFSET[11:2];
  localparam logic [9:0] SENT_BYTES = fs_abi::CARD_SOURCE_REGISTERS_SENT_BYTES_OFFSET[11:2];

  logic [31:0] control;
  ht_kernel_control kernel_control (
      .clock(clock), .reset(reset), .write(write), .write_word(write_word), .write_data(write_data), .read(read), .read_word(read_word),
      .control(control), .start(start), .stop(stop), .idle(idle), .done(done));

  always_ff @(posedge clock) begin
    if (write && idle) begin
      case (write_word)
        BASE: base_address[31:0] <= {write_data[31:12], 12'd0};
        BASE + 10'd1: base_address[63:32] <= write_data;
        UNITS: units <= write_data;
        ROUNDS: rounds <= write_data;
        default: ;
      endcase
    end
    if (write && write_word == GAP) gap_cycles <= write_data;
    if (reset) begin
      units <= 32'd0;
      rounds <= 32'd1;
      gap_cycles <= 32'd0;
    end
  end

  logic [63:0] sent_packets, sent_bytes;
  always_ff @(posedge clock) begin
    sent_packets <= sent_packets + {63'd0, sent_packet};
    sent_bytes <= sent_bytes + {57'd0, sent_beat_bytes};
    if (start || reset) begin
      sent_packets <= '0;
      sent_bytes <= '0;
    end
  end

  // Reading a counter's low word keeps its high word for the read that follows.
  logic [31:0] held_high, data;
  always_ff @(posedge clock) begin
    if (read && read_word == SENT_PACKETS) held_high <= sent_packets[63:32];
    if (read && read_word == SENT_BYTES) held_high <= sent_bytes[63:32];
    case (read_word)
      CONTROL: data <= control;
      BASE: data <= base_address[31:0];
      BASE + 10'd1: data <= base_address[63:32];
      UNITS: data <= units;
      ROUNDS: data <= rounds;
      MAGIC: data <= fs_abi::CARD_SOURCE_REGISTERS_MAGIC;
      VERSION: data <= fs_abi::CARD_SOURCE_REGISTERS_VERSION;
      BUILD_NUMBER: data <= BUILD;
      GAP: data <= gap_cycles;
      STATUS: begin
        data <= '0;
        data[fs_abi::CARD_SOURCE_REGISTERS_READ_FAILED_BIT] <= read_failed;
        data[fs_abi::CARD_SOURCE_REGISTERS_CUT_SHORT_BIT] <= cut_short;
      end
      SENT_PACKETS: data <= sent_packets[31:0];
      SENT_BYTES: data <= sent_bytes[31:0];
      SENT_PACKETS + 10'd1, SENT_BYTES + 10'd1: data <= held_high;
      default: data <= '0;
    endcase
    read_data <= data;
  end
endmodule
