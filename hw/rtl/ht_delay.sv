// SPDX-License-Identifier: Apache-2.0
// The same, CYCLES later, by way of a memory that is written round and round.
module ht_delay #(
    parameter int WIDTH = 64,
    parameter int CYCLES = 8 // 3 or more
) (
    input logic clock,
    input logic [WIDTH-1:0] in,
    output logic [WIDTH-1:0] out
);
  localparam int ADDRESS_BITS = $clog2(CYCLES);
  // One cycle is that of the memory, one that of what is read.
  localparam logic [ADDRESS_BITS-1:0] LAST = ADDRESS_BITS'(CYCLES - 2);

  logic [WIDTH-1:0] memory[0:(1<<ADDRESS_BITS)-1];
  logic [ADDRESS_BITS-1:0] place;
  initial place = '0;

  always_ff @(posedge clock) begin
    out <= memory[place];
    memory[place] <= in;
    place <= place == LAST ? '0 : place + 1'b1;
  end
endmodule
