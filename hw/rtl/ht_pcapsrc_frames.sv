// SPDX-License-Identifier: Apache-2.0
// Blocks of a capture in, frames out: the lengths of up to 32 frames, then their units, one in each clock cycle. A frame that has begun
// goes to its end, or to the end of what there is to read, and is then called damaged. After that nothing is read any more, but thrown away.
module ht_pcapsrc_frames (
    input logic clock,
    input logic reset,

    input logic begins, // for one cycle
    input logic opens, // another frame may begin; otherwise units are thrown away
    input logic [31:0] gap_cycles,
    output logic in_frame, // it needs more units
    output logic idle, // nothing is on its way out

    input logic unit_valid,
    input logic [511:0] unit_data,
    input logic unit_failed,
    input logic unit_ends_round,
    output logic unit_pop,

    output logic [511:0] tdata,
    output logic [63:0] tkeep,
    output logic tlast,
    output logic tuser,
    output logic tvalid,
    input logic tready,

    output logic sent_packet, // for one cycle
    output logic [6:0] sent_bytes, // of the beat that goes out, else 0
    output logic read_failed, // from then on until it begins anew, both
    output logic cut_short
);
  // ---- Where in a block: lengths[15:0] is the frame that comes next; zeros follow the last. ----
  logic [511:0] lengths;
  logic [15:0] bytes_left; // of the frame that has begun, or is next; 0: lengths come next
  logic in_gap;
  logic [31:0] gap_left;

  logic has_way, is_beat, is_lengths, is_last, ends_frame, discards, announces;
  assign has_way = !tvalid || tready;
  assign discards = (!opens || read_failed || cut_short) && !in_frame;
  assign is_lengths = unit_valid && !discards && bytes_left == 16'd0;
  assign is_beat = unit_valid && !discards && bytes_left != 16'd0 && has_way && (in_frame || !in_gap);
  assign is_last = bytes_left <= 16'd64;
  assign ends_frame = is_last || unit_failed || unit_ends_round;
  assign unit_pop = is_lengths || is_beat || (discards && unit_valid);

  // A frame that is to come, or to go on, when this unit has been read.
  logic [15:0] next_length;
  assign next_length = is_lengths ? unit_data[15:0] : lengths[15:0];
  assign announces = (is_beat && !is_last) || next_length != 16'd0;
  always_ff @(posedge clock) begin
    if (is_lengths) begin
      lengths <= {16'b0, unit_data[511:16]};
      bytes_left <= next_length;
    end
    if (is_beat) begin
      in_frame <= !ends_frame;
      bytes_left <= bytes_left - 16'd64;
      if (ends_frame) begin
        lengths <= {16'b0, lengths[511:16]};
        bytes_left <= next_length;
        in_gap <= gap_cycles != 32'd0;
        gap_left <= gap_cycles;
      end
    end else if (in_gap) begin
      gap_left <= gap_left - 32'd1;
      in_gap <= gap_left > 32'd1;
    end
    // A round begins with lengths, whatever those before it said.
    if (unit_pop && unit_ends_round) bytes_left <= 16'd0;
    if (is_beat || is_lengths) begin
      if (unit_failed) read_failed <= 1'b1;
      else if (unit_ends_round && announces) cut_short <= 1'b1;
    end
    if (begins || reset) begin
      read_failed <= 1'b0;
      cut_short <= 1'b0;
      bytes_left <= 16'd0;
      in_frame <= 1'b0;
      in_gap <= 1'b0;
    end
  end

  // ---- The beat that goes out. ----
  logic [63:0] last_keep;
  always_comb begin
    for (int byte_number = 0; byte_number < 64; byte_number++) begin
      last_keep[byte_number] = bytes_left[5:0] == 6'd0 || bytes_left[5:0] > byte_number[5:0];
    end
  end

  always_ff @(posedge clock) begin
    if (has_way) begin
      tvalid <= is_beat;
      tdata <= unit_data;
      tkeep <= is_last ? last_keep : '1;
      tlast <= ends_frame;
      tuser <= ends_frame && (unit_failed || !is_last);
    end
    sent_packet <= is_beat && ends_frame;
    sent_bytes <= !is_beat ? 7'd0 : is_last ? bytes_left[6:0] : 7'd64;
    if (reset) tvalid <= 1'b0;
  end
  assign idle = !tvalid;
endmodule
