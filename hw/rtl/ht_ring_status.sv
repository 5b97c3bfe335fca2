// SPDX-License-Identifier: Apache-2.0
// What the host reads of one ring. Reading a counter's low word keeps its high word for the read that follows; each counter keeps
// its own, so that hosts that read several do not disturb each other.
module ht_ring_status (
    input logic clock,
    input logic read, // one cycle; read_data is there in the next
    input logic [3:0] read_word,
    output logic [31:0] read_data,

    input logic [31:0] credit,
    input logic full,
    input logic write_failed,
    input logic [63:0] head,
    input logic [63:0] offered_packets,
    input logic [63:0] written_packets,
    input logic [63:0] dropped_packets,
    input logic [63:0] lost_recorded,
    input logic [63:0] offered_bytes
);
  localparam logic [3:0] CREDIT = fs_abi::CARD_RING_STATE_CREDIT_OFFSET[5:2];
  localparam logic [3:0] STATUS = fs_abi::CARD_RING_STATE_STATUS_OFFSET[5:2];
  localparam logic [2:0] HEAD = fs_abi::CARD_RING_STATE_HEAD_OFFSET[5:3];
  localparam logic [2:0] OFFERED = fs_abi::CARD_RING_STATE_OFFERED_PACKETS_OFFSET[5:3];
  localparam logic [2:0] WRITTEN = fs_abi::CARD_RING_STATE_WRITTEN_PACKETS_OFFSET[5:3];
  localparam logic [2:0] DROPPED = fs_abi::CARD_RING_STATE_DROPPED_PACKETS_OFFSET[5:3];
  localparam logic [2:0] RECORDED = fs_abi::CARD_RING_STATE_LOST_RECORDED_OFFSET[5:3];
  localparam logic [2:0] OFFERED_BYTES = fs_abi::CARD_RING_STATE_OFFERED_BYTES_OFFSET[5:3];

  logic [31:0] status;
  always_comb begin
    status = '0;
    status[fs_abi::CARD_RING_STATE_FULL_BIT] = full;
    status[fs_abi::CARD_RING_STATE_WRITE_FAILED_BIT] = write_failed;
  end

  logic [2:0] counter_number;
  assign counter_number = read_word[3:1];
  logic is_high;
  assign is_high = read_word[0];

  logic [63:0] counter;
  always_comb begin
    case (counter_number)
      HEAD: counter = head;
      OFFERED: counter = offered_packets;
      WRITTEN: counter = written_packets;
      DROPPED: counter = dropped_packets;
      RECORDED: counter = lost_recorded;
      OFFERED_BYTES: counter = offered_bytes;
      default: counter = '0;
    endcase
  end

  logic [31:0] kept_high[0:7];
  always_ff @(posedge clock) begin
    if (read && !is_high) kept_high[counter_number] <= counter[63:32];
    if (read_word == CREDIT) read_data <= credit;
    else if (read_word == STATUS) read_data <= status;
    else read_data <= is_high ? kept_high[counter_number] : counter[31:0];
  end
endmodule
