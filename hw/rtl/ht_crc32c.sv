// SPDX-License-Identifier: Apache-2.0
// CRC32C (Castagnoli) over eight bytes more, a cycle later. The state is the inverse of the checksum as it is usually printed.
module ht_crc32c (
    input logic clock,
    input logic [31:0] state,
    input logic [63:0] word,
    output logic [31:0] next
);
  localparam int INPUT_BITS = 96;

  // Each bit of the new state is the parity of some bits of {word, state}. Said so, and not bit after bit, it is three levels of logic.
  // Which bits they are follows from the states that single bits lead to, because the sum is linear. In row i: the state of bit i alone.
  function automatic logic [32*INPUT_BITS-1:0] states_of_single_bits();
    logic [31:0] sum;
    for (int i = 0; i < INPUT_BITS; i++) begin
      sum = i < 32 ? 32'b1 << i : 32'b0;
      for (int j = 0; j < 64; j++) begin
        sum = {1'b0, sum[31:1]} ^ (sum[0] ^ (j + 32 == i) ? 32'h82F63B78 : 32'b0);
      end
      states_of_single_bits[32*i+:32] = sum;
    end
  endfunction

  function automatic logic [INPUT_BITS-1:0] column(input logic [32*INPUT_BITS-1:0] rows, input int bit_of_state);
    for (int i = 0; i < INPUT_BITS; i++) column[i] = rows[32*i+bit_of_state];
  endfunction

  localparam logic [32*INPUT_BITS-1:0] ROWS = states_of_single_bits();

  for (genvar b = 0; b < 32; b++) begin : g_bit
    localparam logic [INPUT_BITS-1:0] ADDED = column(ROWS, b);
    always_ff @(posedge clock) next[b] <= ^({word, state} & ADDED);
  end
endmodule
