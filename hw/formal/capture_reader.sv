// SPDX-License-Identifier: Apache-2.0
// ht_pcapsrc_reader at a memory that keeps the rules of AXI4 and nothing else.
// Sources: ht_block_fifo ht_pcapsrc_reader axi_read_rules
// Bounded: 5
// Induction: 3
module capture_reader_formal (
    input logic clock,
    input logic reset,
    input logic begins,
    input logic opens,
    input logic arready,
    input logic [1:0] rresp,
    input logic rvalid,
    input logic pop
);
  (* anyconst *) logic [51:0] base_page;
  (* anyconst *) logic [31:0] units;
  (* anyconst *) logic [31:0] rounds;
  logic past_valid = 1'b0;
  always_ff @(posedge clock) past_valid <= 1'b1;

  logic idle, exhausted, arvalid, rready, unit_valid, unit_failed, unit_ends_round;
  logic [63:0] araddr;
  logic [7:0] arlen;
  logic [511:0] unused_data;
  always_comb begin
    if (!past_valid) assume (reset);
    if (!idle) assume (!begins); // ht_pcapsrc begins only while nothing is under way
    assume (units != 32'd0);
  end
  ht_pcapsrc_reader reader (
      .clock(clock), .reset(reset), .begins(begins), .opens(opens), .base_address({base_page, 12'd0}), .units(units), .rounds(rounds),
      .idle(idle), .exhausted(exhausted), .araddr(araddr), .arlen(arlen), .arvalid(arvalid), .arready(arready), .rdata(512'd0),
      .rresp(rresp), .rvalid(rvalid), .rready(rready), .unit_valid(unit_valid), .unit_data(unused_data), .unit_failed(unit_failed),
      .unit_ends_round(unit_ends_round), .unit_pop(unit_valid && pop));

  logic [15:0] awaited;
  axi_read_rules rules (
      .clock(clock), .reset(reset), .araddr(araddr), .arlen(arlen), .arvalid(arvalid), .arready(arready), .rvalid(rvalid),
      .rready(rready), .awaited(awaited));

  logic [9:0] probe_taken; // = reader.taken
  always_comb begin
    if (past_valid) begin
      answers_have_space: assert (probe_taken <= 10'd512); // what was requested and not handed on fits into the FIFO
    end
  end

  // ---- For induction ----
  logic [63:0] probe_address; // = reader.address
  logic probe_has_room; // = reader.has_room
  logic [9:0] probe_write_count; // = reader.held.write_count
  logic [9:0] probe_read_count; // = reader.held.read_count
  logic probe_fetched; // = reader.held.fetched_valid
  logic [31:0] probe_units_left; // = reader.units_left
  logic [15:0] held;
  logic [9:0] queued;
  assign queued = probe_write_count - probe_read_count;
  assign held = {6'd0, queued} + {15'd0, probe_fetched} + {15'd0, unit_valid};
  always_comb begin
    if (past_valid) begin
      // The address is unset until the first begin, and no units are left until then.
      address_is_aligned: assert (probe_address[9:0] == 10'd0 || probe_units_left == 32'd0);
      counts_are_small: assert (awaited <= 16'd512 && held <= 16'd512);
      all_are_counted: assert ({6'd0, probe_taken} == (arvalid ? {8'd0, arlen} + 16'd1 : 16'd0) + awaited + held);
      burst_is_counted: assert (!arvalid || arlen <= 8'd15);
      room_is_known: assert (probe_taken <= 10'd495 && (!probe_has_room || arvalid || probe_taken <= 10'd479));
    end
  end
endmodule
