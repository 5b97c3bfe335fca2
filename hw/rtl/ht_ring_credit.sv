// SPDX-License-Identifier: Apache-2.0
// The host's credit. Only the low word is written; the full position is the one nearest to the credit in force. What would go back,
// or beyond the head, is ignored: a slot whose write the memory has not answered must not be written again, for writes with
// different ids may overtake each other.
module ht_ring_credit (
    input logic clock,
    input logic reset,

    input logic write,
    input logic [31:0] write_data,
    input logic [31:0] head_low,

    output logic [31:0] credit_low,
    output logic [ht_ring_types::COUNT_BITS-1:0] released // slots, in one cycle; the host writes at most every third
);
  logic written;
  logic [31:0] asked, step, longest_step;
  logic measured;

  always_ff @(posedge clock) begin
    written <= write && !reset;
    if (write) asked <= write_data;

    measured <= written && !reset;
    step <= asked - credit_low;
    longest_step <= head_low - credit_low;

    released <= '0;
    if (measured && step <= longest_step) begin
      released <= step[ht_ring_types::COUNT_BITS-1:0]; // a longest step is at most the ring
      credit_low <= asked;
    end
    if (reset) begin
      released <= '0;
      credit_low <= '0;
    end
  end
endmodule
