// SPDX-License-Identifier: Apache-2.0
// The ring of each key group, as the host wrote it. Two cycles, those of a block RAM with its register.
module ht_ring_table (
    input logic clock,
    input logic write,
    input logic [14:0] write_key_group,
    input logic [2:0] write_ring,
    input logic [14:0] key_group,
    output logic [2:0] ring
);
  logic [2:0] memory[0:32767];
  logic [2:0] fetched;
  always_ff @(posedge clock) begin
    if (write) memory[write_key_group] <= write_ring;
    fetched <= memory[key_group];
    ring <= fetched;
  end
endmodule
