// SPDX-License-Identifier: Apache-2.0
// ht_block_fifo with a stream at its end, as the records leave ht_tap, with narrow data and a short memory. Data is pushed at any time at
// which the FIFO has space, and up to six times after that.
// Sources: ht_block_fifo axi_stream_rules
// Bounded: 5
// Induction: 2
module record_fifo_formal (
    input logic clock,
    input logic reset,
    input logic push,
    input logic [1:0] push_data,
    input logic tready
);
  localparam int DEPTH_LOG2 = 4;
  logic past_valid = 1'b0;
  always_ff @(posedge clock) past_valid <= 1'b1;
  always_comb if (!past_valid) assume (reset);

  logic has_room, tvalid, empty;
  logic [1:0] tdata;
  logic [2:0] late_pushes;
  always_ff @(posedge clock) begin
    late_pushes <= has_room ? 3'd0 : late_pushes + {2'd0, push};
    if (reset) late_pushes <= 3'd0;
  end
  always_comb begin
    if (!has_room && late_pushes == 3'd6) assume (!push);
  end
  ht_block_fifo #(
      .WIDTH(2),
      .DEPTH_LOG2(DEPTH_LOG2),
      .MARGIN(8)
  ) fifo (
      .clock(clock), .reset(reset), .push(push), .push_data(push_data), .has_room(has_room), .valid(tvalid), .data(tdata),
      .pop(tvalid && tready), .empty(empty));

  axi_stream_rules #(
      .WIDTH(2)
  ) rules (
      .clock(clock), .reset(reset), .payload(tdata), .tvalid(tvalid), .tready(tready));

  // ---- First in, first out: of any two values that follow each other into the FIFO. ----
  logic [DEPTH_LOG2+1:0] pushed, popped, held;
  (* anyconst *) logic [DEPTH_LOG2+1:0] chosen;
  logic [1:0] chosen_data;
  assign held = pushed - popped;
  always_ff @(posedge clock) begin
    if (push) pushed <= pushed + 1'b1;
    if (push && pushed == chosen) chosen_data <= push_data;
    if (tvalid && tready) popped <= popped + 1'b1;
    if (reset) begin
      pushed <= '0;
      popped <= '0;
    end
  end
  logic is_chosen_held;
  assign is_chosen_held = chosen - popped < held;
  always_comb begin
    if (past_valid && !reset) begin
      nothing_overflows: assert (held <= 6'd18); // the memory, and the two registers after it
      if (tvalid) begin
        nothing_is_invented: assert (held != '0);
        if (popped == chosen && is_chosen_held) begin
          order_is_kept: assert (tdata == chosen_data);
        end
      end
    end
  end

  // ---- For induction: where the chosen value is. ----
  logic [4:0] probe_write_count; // = fifo.write_count
  logic [4:0] probe_read_count; // = fifo.read_count
  logic probe_fetched_valid; // = fifo.fetched_valid
  logic [1:0] probe_fetched; // = fifo.fetched
  logic [31:0] probe_memory; // = fifo.memory[16]
  logic [4:0] queued;
  logic [5:0] ahead, after_data, after_fetched; // of the chosen value in the FIFO
  assign queued = probe_write_count - probe_read_count;
  assign ahead = chosen - popped;
  assign after_data = {5'd0, tvalid};
  assign after_fetched = after_data + {5'd0, probe_fetched_valid};
  always_comb begin
    if (past_valid) begin
      pushes_are_counted: assert (probe_write_count == pushed[4:0]);
      all_are_counted: assert (held == {1'b0, queued} + {5'd0, probe_fetched_valid} + {5'd0, tvalid});
      memory_is_not_full: assert (has_room ? queued <= 5'd8 : {1'b0, queued} <= 6'd9 + {3'd0, late_pushes} && late_pushes <= 3'd6);
      data_is_the_chosen: assert (!(tvalid && is_chosen_held && ahead == 6'd0) || tdata == chosen_data);
      fetched_is_the_chosen: assert (!(probe_fetched_valid && is_chosen_held && ahead == after_data) || probe_fetched == chosen_data);
      memory_has_the_chosen: assert (!(is_chosen_held && ahead >= after_fetched) || probe_memory[2*chosen[3:0]+:2] == chosen_data);
    end
  end
endmodule
