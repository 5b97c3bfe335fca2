// SPDX-License-Identifier: Apache-2.0
// ht_pcapsrc_frames with any units before it and any receiver after it.
// Sources: ht_pcapsrc_frames axi_stream_rules
// Bounded: 4
// Induction: 3
module capture_frames_formal (
    input logic clock,
    input logic reset,
    input logic begins,
    input logic opens,
    input logic [31:0] gap_cycles,
    input logic unit_valid,
    input logic [511:0] unit_data,
    input logic unit_failed,
    input logic unit_ends_round,
    input logic tready
);
  logic past_valid = 1'b0;
  always_ff @(posedge clock) past_valid <= 1'b1;

  logic in_frame, idle, unit_pop, tlast, tuser, tvalid, sent_packet, read_failed, cut_short;
  logic [511:0] tdata;
  logic [63:0] tkeep;
  logic [6:0] sent_bytes;
  always_comb if (!past_valid) assume (reset);
  ht_pcapsrc_frames frames (
      .clock(clock), .reset(reset), .begins(begins), .opens(opens), .gap_cycles(gap_cycles), .in_frame(in_frame), .idle(idle),
      .unit_valid(unit_valid), .unit_data(unit_data), .unit_failed(unit_failed), .unit_ends_round(unit_ends_round),
      .unit_pop(unit_pop), .tdata(tdata), .tkeep(tkeep), .tlast(tlast), .tuser(tuser), .tvalid(tvalid), .tready(tready),
      .sent_packet(sent_packet), .sent_bytes(sent_bytes), .read_failed(read_failed), .cut_short(cut_short));

  axi_stream_rules #(
      .WIDTH(512 + 64 + 2)
  ) rules (
      .clock(clock), .reset(reset), .payload({tdata, tkeep, tlast, tuser}), .tvalid(tvalid), .tready(tready));
endmodule
