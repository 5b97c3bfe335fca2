// SPDX-License-Identifier: Apache-2.0
// The time in nanoseconds: a number that the host sets, and how much of it a cycle is, whose fractions add up.
module ht_clock (
    input logic clock,
    input logic reset,
    input logic set,
    input logic [63:0] set_ns,
    input logic [31:0] increment, // nanoseconds with TIME_FRACTION_BITS fractions
    output logic [63:0] time_ns
);
  localparam int FRACTION_BITS = fs_abi::CARD_TAP_REGISTERS_TIME_FRACTION_BITS;

  // In two halves, so that no carry runs through 92 bits in a cycle: the upper one is added to a cycle later.
  logic [31+FRACTION_BITS:0] low;
  logic [31:0] high;
  logic carry;
  logic [32+FRACTION_BITS:0] sum;
  assign sum = {1'b0, low} + {{(FRACTION_BITS + 1) {1'b0}}, increment};

  always_ff @(posedge clock) begin
    low <= sum[31+FRACTION_BITS:0];
    carry <= sum[32+FRACTION_BITS];
    if (carry) high <= high + 32'd1;
    time_ns <= {carry ? high + 32'd1 : high, low[31+FRACTION_BITS:FRACTION_BITS]};
    if (set) begin
      low <= {set_ns[31:0], {FRACTION_BITS{1'b0}}};
      high <= set_ns[63:32];
      carry <= 1'b0;
    end
    if (reset) begin
      low <= '0;
      high <= 32'd0;
      carry <= 1'b0;
    end
  end
endmodule
