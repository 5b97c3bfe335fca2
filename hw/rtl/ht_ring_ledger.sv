// SPDX-License-Identifier: Apache-2.0
// Bursts that were sent to the memory, in the order of their slots. Answers may come in any order; the head goes over a burst when
// the memory has answered it and all before it. Where one was refused the head stays, whatever is answered later.
module ht_ring_ledger (
    input logic clock,
    input logic reset,

    input logic send,
    input logic [ht_ring_types::BURST_BITS-1:0] send_slots,
    output logic [ht_ring_types::ID_BITS-1:0] send_id,
    output logic can_send, // two cycles after a send at the latest
    output logic all_answered,

    input logic answer,
    input logic [ht_ring_types::ID_BITS-1:0] answer_id,
    input logic answer_refused,

    output logic [63:0] head,
    output logic write_failed
);
  localparam int ID_BITS = ht_ring_types::ID_BITS;
  localparam int IDS = 1 << ID_BITS;

  logic [ht_ring_types::BURST_BITS-1:0] burst_slots[0:IDS-1];
  logic [IDS-1:0] answered, refused;
  logic [ID_BITS-1:0] oldest;
  logic [ID_BITS:0] waiting;
  assign all_answered = waiting == '0;

  logic answer_valid, retire;
  logic [ID_BITS-1:0] answer_number;
  logic answer_failed;
  assign retire = answered[oldest];

  logic [IDS-1:0] answered_now, retired_now;
  assign answered_now = {{(IDS - 1) {1'b0}}, answer_valid} << answer_number;
  assign retired_now = {{(IDS - 1) {1'b0}}, retire} << oldest;

  logic retired, retired_failed;
  logic [ht_ring_types::BURST_BITS-1:0] retired_slots;

  always_ff @(posedge clock) begin
    if (send) burst_slots[send_id] <= send_slots;
  end

  always_ff @(posedge clock) begin
    if (send) send_id <= send_id + 1'b1;
    if (retire) oldest <= oldest + 1'b1;
    waiting <= waiting + {{ID_BITS{1'b0}}, send} - {{ID_BITS{1'b0}}, retire};
    can_send <= !waiting[ID_BITS];

    answer_valid <= answer;
    answer_number <= answer_id;
    answer_failed <= answer_refused;
    answered <= (answered | answered_now) & ~retired_now;
    refused <= (refused & ~answered_now) | (answered_now & {IDS{answer_failed}});

    retired <= retire;
    retired_slots <= burst_slots[oldest];
    retired_failed <= refused[oldest];
    if (retired) begin
      write_failed <= write_failed || retired_failed;
      if (!write_failed && !retired_failed) head <= head + {59'd0, retired_slots};
    end

    if (reset) begin
      send_id <= '0;
      oldest <= '0;
      waiting <= '0;
      can_send <= 1'b0;
      answer_valid <= 1'b0;
      answered <= '0;
      retired <= 1'b0;
      head <= '0;
      write_failed <= 1'b0;
    end
  end
endmodule
