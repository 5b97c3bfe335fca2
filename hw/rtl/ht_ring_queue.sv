// SPDX-License-Identifier: Apache-2.0
// Items that wait for their ring. A ring looks ahead: it takes items to compare their times before it knows what becomes of the one
// before them, and goes back where a TIME record has changed what they are compared with. An item leaves when it is done with.
module ht_ring_queue (
    input logic clock,
    input logic reset,

    input logic push,
    input ht_ring_types::item_t push_item,
    input logic [511:0] push_record,
    output logic room, // for at least 8 more

    output logic ahead_valid,
    output ht_ring_types::item_t ahead,
    input logic take, // looks at the one behind it next
    input logic go_back, // looks next at what comes after the one that is not done with

    output logic [511:0] record, // of the oldest item that is not done with
    input logic done
);
  localparam int DEPTH_LOG2 = 5; // what one RAM32M16 holds
  localparam logic [DEPTH_LOG2:0] FULL_ENOUGH = 6'd24;

  logic [$bits(push_item)-1:0] items[0:(1<<DEPTH_LOG2)-1]; // Yosys 0.23 has no memories of structs, and does not say so
  logic [511:0] records[0:(1<<DEPTH_LOG2)-1];

  logic [DEPTH_LOG2:0] write_count, take_count, done_count, queued;
  assign queued = write_count - done_count;
  assign ahead_valid = take_count != write_count;
  assign ahead = items[take_count[DEPTH_LOG2-1:0]];
  assign record = records[done_count[DEPTH_LOG2-1:0]];

  always_ff @(posedge clock) begin
    if (push) items[write_count[DEPTH_LOG2-1:0]] <= push_item;
    if (push) records[write_count[DEPTH_LOG2-1:0]] <= push_record;
  end

  always_ff @(posedge clock) begin
    if (push) write_count <= write_count + 1'b1;
    if (done) done_count <= done_count + 1'b1;
    if (go_back) take_count <= done_count + 1'b1;
    else if (take) take_count <= take_count + 1'b1;
    room <= queued < FULL_ENOUGH;
    if (reset) begin
      write_count <= '0;
      take_count <= '0;
      done_count <= '0;
      room <= 1'b0;
    end
  end
endmodule
