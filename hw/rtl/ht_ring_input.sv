// SPDX-License-Identifier: Apache-2.0
// One port's records in, each with the rings that it is for. While the kernel takes none they are taken from the tap all the same
// and thrown away, and counted: a tap that is stopped after the rings must be able to send what it has under way.
module ht_ring_input (
    input logic clock,
    input logic reset,
    input logic open,
    input logic [ht_ring_types::RINGS-1:0] rings_in_use,

    input logic [511:0] tdata,
    input logic [32:0] tuser, // [31:0] high word of the time, [32] a tick
    input logic [2:0] tdest,
    input logic tvalid,
    output logic tready,

    output logic discarded_packet,
    output logic valid,
    output ht_ring_types::beat_t beat,
    input logic pop,
    output logic empty
);
  logic has_room;
  assign tready = has_room || !open;

  logic [ht_ring_types::RINGS-1:0] addressed;
  assign addressed = 8'd1 << tdest;

  logic arrived;
  ht_ring_types::beat_t arrival;
  always_ff @(posedge clock) begin
    arrived <= tvalid && tready && open && !reset;
    discarded_packet <= tvalid && !open && !tuser[32] && !reset;
    arrival.is_tick <= tuser[32];
    arrival.rings <= tuser[32] ? rings_in_use : rings_in_use & addressed;
    arrival.time_high <= tuser[31:0];
    arrival.record <= tdata;
  end

  // A port's clock goes on while control records are written: 512 records are 3.4 us of the shortest packets at 100 Gb/s.
  logic fifo_empty;
  ht_block_fifo #(
      .WIDTH($bits(arrival)),
      .DEPTH_LOG2(9),
      .MARGIN(8)
  ) fifo (
      .clock(clock),
      .reset(reset),
      .push(arrived),
      .push_data(arrival),
      .has_room(has_room),
      .valid(valid),
      .data(beat),
      .pop(pop),
      .empty(fifo_empty)
  );
  assign empty = fifo_empty && !arrived;
endmodule
