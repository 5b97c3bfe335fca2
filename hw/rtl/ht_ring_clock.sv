// SPDX-License-Identifier: Apache-2.0
// Says of each item whether the ring has to be told the time for it. 64-bit distances take three stages; a TIME record, which
// changes what they are measured from, sends the items behind it through the stages again.
module ht_ring_clock (
    input logic clock,
    input logic reset,

    input logic ahead_valid,
    input ht_ring_types::item_t ahead,
    output logic take,

    output logic valid,
    output ht_ring_types::item_t item,
    output logic needs_time,
    output logic [63:0] time_to_tell_ns,
    input logic done, // with the item
    input logic told // it, in a TIME record: what follows is measured from there
);
  // Distances are counted from step - 1 before the latest TIME record: those nearer than a step in either direction become the
  // numbers from 0 to NEAR, and all of them fit into 32 bits.
  localparam logic [63:0] BEFORE = fs_abi::TIME_RECORD_STEP_NS - 64'd1;
  localparam logic [63:0] NEAR = BEFORE + fs_abi::TIME_RECORD_STEP_NS - 64'd1;
  localparam logic [63:0] DUE = BEFORE + fs_abi::TIME_RECORD_INTERVAL_NS;

  logic advance;
  assign advance = !valid || done;
  assign take = advance && !told;

  logic is_timed;
  logic [63:0] latest_ns, origin_ns;
  always_ff @(posedge clock) begin
    if (told) begin
      latest_ns <= time_to_tell_ns;
      origin_ns <= time_to_tell_ns - BEFORE;
    end
    is_timed <= (is_timed || told) && !reset;
  end

  logic taken_valid;
  ht_ring_types::item_t taken;
  logic measured_valid;
  ht_ring_types::item_t measured;
  logic [63:0] distance_ns;
  always_ff @(posedge clock) begin
    if (advance) begin
      taken_valid <= ahead_valid;
      taken <= ahead;
      measured_valid <= taken_valid;
      measured <= taken;
      distance_ns <= taken.time_ns - origin_ns;
    end
    if (told || reset) begin
      taken_valid <= 1'b0;
      measured_valid <= 1'b0;
    end
  end

  // A packet needs the time where it is a step away, forward or back. A quiet ring is told it only forward: a port that fell silent
  // holds the settled time back, and its ring's readers have been further already.
  logic far, due, needed;
  assign far = distance_ns[63:32] != '0 || distance_ns[31:0] > NEAR[31:0];
  assign due = !distance_ns[63] && (distance_ns[62:32] != '0 || distance_ns[31:0] >= DUE[31:0]);
  assign needed = measured.is_last ? is_timed || measured.time_known
                : !is_timed ? 1'b1
                : measured.is_tick ? due : far;

  always_ff @(posedge clock) begin
    if (advance) begin
      valid <= measured_valid;
      item <= measured;
      needs_time <= needed;
      // The last record repeats what the ring was told: it is there for its counters.
      time_to_tell_ns <= measured.is_last && is_timed ? latest_ns : measured.time_ns;
    end
    if (told) begin
      valid <= valid && !done;
      needs_time <= 1'b0;
    end
    if (reset) valid <= 1'b0;
  end
endmodule
