// SPDX-License-Identifier: Apache-2.0
// Reads the units of a capture from the card's memory, in their order, round after round, in bursts of up to 16. A burst is asked for
// only when there is room for all of it, so answers never wait.
module ht_pcapsrc_reader (
    input logic clock,
    input logic reset,

    input logic begins, // for one cycle: at the first unit of the first round
    input logic opens, // more may be asked for
    input logic [63:0] base_address,
    input logic [31:0] units, // of one round
    input logic [31:0] rounds, // 0: without an end
    output logic idle, // nothing is asked for, under way or held
    output logic exhausted, // and no round is left

    output logic [63:0] araddr,
    output logic [7:0] arlen,
    output logic arvalid,
    input logic arready,
    input logic [511:0] rdata,
    input logic [1:0] rresp,
    input logic rvalid,
    output logic rready,

    output logic unit_valid,
    output logic [511:0] unit_data,
    output logic unit_failed, // the memory refused it
    output logic unit_ends_round,
    input logic unit_pop
);
  localparam int DEPTH_LOG2 = 9;
  localparam int BURST = 16;
  localparam logic [DEPTH_LOG2:0] ROOM = (DEPTH_LOG2 + 1)'((1 << DEPTH_LOG2) - 2 * BURST);

  // ---- Asking. The base is a multiple of 4096, so a burst of 16 units never crosses one. ----
  logic [31:0] units_left, rounds_left, answers_left;
  logic [63:0] address;
  logic [DEPTH_LOG2:0] taken; // by units asked for and not yet handed on
  logic has_room, asks, is_short, ends_round;
  logic [4:0] burst_units;
  assign is_short = units_left <= BURST;
  assign burst_units = is_short ? units_left[4:0] : 5'd16;
  assign ends_round = is_short;
  assign asks = opens && has_room && units_left != 32'd0 && !arvalid;

  always_ff @(posedge clock) begin
    if (arready) arvalid <= 1'b0;
    if (asks) begin
      arvalid <= 1'b1;
      araddr <= address;
      arlen <= {3'b0, burst_units - 5'd1};
      address <= address + 64'd1024;
      units_left <= units_left - {27'b0, burst_units};
      if (ends_round) begin
        address <= base_address;
        units_left <= rounds_left == 32'd1 ? 32'd0 : units;
        if (rounds_left != 32'd0) rounds_left <= rounds_left - 32'd1;
      end
    end
    taken <= taken + (asks ? {{(DEPTH_LOG2 - 4) {1'b0}}, burst_units} : '0) - {{DEPTH_LOG2{1'b0}}, unit_pop};
    has_room <= taken < ROOM;
    if (begins) begin
      address <= base_address;
      units_left <= units;
      rounds_left <= rounds;
    end
    if (reset) begin
      arvalid <= 1'b0;
      taken <= '0;
      has_room <= 1'b0;
      units_left <= '0;
    end
  end

  // ---- Answers, each counted from the end of its round. ----
  logic is_last;
  assign rready = 1'b1;
  assign is_last = answers_left == 32'd1;
  always_ff @(posedge clock) begin
    if (rvalid) answers_left <= is_last ? units : answers_left - 32'd1;
    if (begins) answers_left <= units;
  end

  logic unused_room, unused_empty;
  ht_block_fifo #(.WIDTH(514), .DEPTH_LOG2(DEPTH_LOG2)) held (
      .clock(clock), .reset(reset), .push(rvalid), .push_data({rresp[1], is_last, rdata}), .has_room(unused_room),
      .valid(unit_valid), .data({unit_failed, unit_ends_round, unit_data}), .pop(unit_pop), .empty(unused_empty));

  assign idle = taken == '0 && !arvalid;
  assign exhausted = idle && units_left == 32'd0;
endmodule
