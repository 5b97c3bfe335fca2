// SPDX-License-Identifier: Apache-2.0
// Beats of 64 bytes in; of each frame its first 128 bytes, its length and the time it began out, when its last beat has come.
// It never makes a frame wait.
module ht_window (
    input logic clock,
    input logic reset,
    input logic [63:0] time_ns,

    input logic beat_valid,
    input logic [511:0] beat_data,
    input logic [63:0] beat_keep, // from bit 0 on without a hole
    input logic beat_last,
    input logic beat_bad, // with the last beat: the MAC found the frame damaged

    output logic frame_valid,
    output logic frame_bad,
    output logic [1023:0] frame_bytes, // beyond the frame's length, anything
    output logic [ht_types::LENGTH_BITS-1:0] frame_length, // saturates
    output logic [63:0] frame_time_ns,

    // No frame that is still to come began before this.
    output logic [63:0] settled_ns
);
  // How many bytes a beat has, in two steps: eight sums of eight, their sum.
  logic counted_valid, counted_last, counted_bad;
  logic [511:0] counted_data;
  logic [63:0] counted_time_ns;
  logic [3:0] eighths[0:7];
  logic summed_valid, summed_last, summed_bad;
  logic [511:0] summed_data;
  logic [63:0] summed_time_ns;
  logic [6:0] summed_bytes;

  function automatic logic [3:0] ones(input logic [7:0] bits);
    ones = {3'b0, bits[0]} + {3'b0, bits[1]} + {3'b0, bits[2]} + {3'b0, bits[3]} + {3'b0, bits[4]} + {3'b0, bits[5]} +
           {3'b0, bits[6]} + {3'b0, bits[7]};
  endfunction

  always_ff @(posedge clock) begin
    counted_valid <= beat_valid && !reset;
    counted_last <= beat_last;
    counted_bad <= beat_bad;
    counted_data <= beat_data;
    counted_time_ns <= time_ns;
    for (int i = 0; i < 8; i++) eighths[i] <= ones(beat_keep[8*i+:8]);

    summed_valid <= counted_valid && !reset;
    summed_last <= counted_last;
    summed_bad <= counted_bad;
    summed_data <= counted_data;
    summed_time_ns <= counted_time_ns;
    summed_bytes <= {3'b0, eighths[0]} + {3'b0, eighths[1]} + {3'b0, eighths[2]} + {3'b0, eighths[3]} + {3'b0, eighths[4]} +
                    {3'b0, eighths[5]} + {3'b0, eighths[6]} + {3'b0, eighths[7]};
  end

  logic in_frame, has_second;
  logic [ht_types::LENGTH_BITS-1:0] length;
  logic [1023:0] bytes;
  logic [63:0] began_ns;

  logic [ht_types::LENGTH_BITS:0] longer;
  assign longer = {1'b0, in_frame ? length : {ht_types::LENGTH_BITS{1'b0}}} + {{(ht_types::LENGTH_BITS - 6) {1'b0}}, summed_bytes};
  logic [ht_types::LENGTH_BITS-1:0] length_now;
  assign length_now = longer[ht_types::LENGTH_BITS] ? ht_types::LONGEST : longer[ht_types::LENGTH_BITS-1:0];

  always_ff @(posedge clock) begin
    frame_valid <= summed_valid && summed_last && !reset;
    frame_bad <= summed_bad;
    frame_length <= length_now;
    frame_time_ns <= in_frame ? began_ns : summed_time_ns;
    frame_bytes[511:0] <= in_frame ? bytes[511:0] : summed_data;
    frame_bytes[1023:512] <= has_second ? bytes[1023:512] : summed_data;
    settled_ns <= in_frame ? began_ns : summed_time_ns;
    if (summed_valid) begin
      in_frame <= !summed_last;
      has_second <= in_frame && !summed_last;
      length <= length_now;
      if (!in_frame) begin
        bytes[511:0] <= summed_data;
        began_ns <= summed_time_ns;
      end else if (!has_second) begin
        bytes[1023:512] <= summed_data;
      end
    end
    if (reset) begin
      in_frame <= 1'b0;
      has_second <= 1'b0;
    end
  end
endmodule
