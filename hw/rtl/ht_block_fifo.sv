// SPDX-License-Identifier: Apache-2.0
// First in, first out, in block RAM. What comes out stands in a register of its own: the RAM is slow to answer.
// has_room is a register too: who pushes may be MARGIN - 2 pushes late to see it fall.
module ht_block_fifo #(
    parameter int WIDTH = 72,
    parameter int DEPTH_LOG2 = 9,
    parameter int MARGIN = 8
) (
    input logic clock,
    input logic reset,

    input logic push,
    input logic [WIDTH-1:0] push_data,
    output logic has_room,

    output logic valid,
    output logic [WIDTH-1:0] data,
    input logic pop, // only while valid
    output logic empty // nothing is here, nor about to come out
);
  localparam logic [DEPTH_LOG2:0] FULL_ENOUGH = (DEPTH_LOG2 + 1)'((1 << DEPTH_LOG2) - MARGIN);

  logic [WIDTH-1:0] memory[0:(1<<DEPTH_LOG2)-1];
  logic [DEPTH_LOG2:0] write_count, read_count;
  logic [DEPTH_LOG2:0] queued;
  assign queued = write_count - read_count;

  // Memory -> fetched (the RAM's own register) -> data.
  logic fetched_valid;
  logic [WIDTH-1:0] fetched;
  logic move, fetch;
  assign move = fetched_valid && (!valid || pop);
  assign fetch = write_count != read_count && (!fetched_valid || move);
  assign empty = write_count == read_count && !fetched_valid && !valid;

  always_ff @(posedge clock) begin
    if (push) memory[write_count[DEPTH_LOG2-1:0]] <= push_data;
  end

  always_ff @(posedge clock) begin
    if (fetch) fetched <= memory[read_count[DEPTH_LOG2-1:0]];
    if (move) data <= fetched;
  end

  always_ff @(posedge clock) begin
    if (push) write_count <= write_count + 1'b1;
    if (fetch) read_count <= read_count + 1'b1;
    fetched_valid <= fetch || (fetched_valid && !move);
    valid <= move || (valid && !pop);
    has_room <= queued < FULL_ENOUGH;
    if (reset) begin
      write_count <= '0;
      read_count <= '0;
      fetched_valid <= 1'b0;
      valid <= 1'b0;
      has_room <= 1'b0;
    end
  end
endmodule
