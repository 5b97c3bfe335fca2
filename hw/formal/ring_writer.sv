// SPDX-License-Identifier: Apache-2.0
// ht_ring_writer with a narrow slot and a short FIFO, at a memory that keeps the rules of AXI4 and nothing else. Slots are placed at any
// time at which the FIFO has space. The host sets the flush time at any time.
// Sources: fs_abi ht_ring_types ht_block_fifo ht_ring_bursts ht_ring_beats ht_ring_ledger ht_ring_writer axi_write_rules
// Bounded: 10
// Slow induction: 2
module ring_writer_formal (
    input logic clock,
    input logic reset,
    input logic place,
    input logic [WIDTH-1:0] slot,
    input logic [31:0] flush_cycles,
    input logic flush_now,
    input logic awready,
    input logic wready,
    input logic [3:0] bid,
    input logic [1:0] bresp,
    input logic bvalid
);
  localparam int WIDTH = 2;
  localparam int DEPTH_LOG2 = 5;

  (* anyconst *) logic [51:0] base_page;
  (* anyconst *) logic [4:0] slots_log2;
  logic past_valid = 1'b0;
  always_ff @(posedge clock) past_valid <= 1'b1;
  always_comb begin
    assume (slots_log2 >= 5'd4 && slots_log2 <= fs_abi::CARD_RING_REGISTERS_MOST_SLOTS_LOG2[4:0]);
    if (!past_valid) assume (reset);
  end
  logic [22:0] slots;
  assign slots = 23'd1 << slots_log2;
  logic [21:0] last_index;
  assign last_index = slots[21:0] - 1'b1;

  // As in ht_ring_slot, a slot follows the decision to place it by two cycles.
  logic placed, said_valid, slot_valid, can_place;
  assign placed = place && can_place;
  always_ff @(posedge clock) begin
    said_valid <= placed && !reset;
    slot_valid <= said_valid && !reset;
  end

  logic [63:0] head, awaddr;
  logic write_failed, all_written, awvalid, wvalid, wlast, bready;
  logic [3:0] awid;
  logic [7:0] awlen;
  logic [WIDTH-1:0] wdata;
  ht_ring_writer #(
      .WIDTH(WIDTH),
      .DEPTH_LOG2(DEPTH_LOG2)
  ) writer (
      .clock(clock), .reset(reset), .base_address({base_page, 12'd0}), .last_index(last_index), .flush_cycles(flush_cycles),
      .flush_now(flush_now), .placed(placed), .can_place(can_place), .slot_valid(slot_valid), .slot(slot), .head(head),
      .write_failed(write_failed), .all_written(all_written), .awid(awid), .awaddr(awaddr), .awlen(awlen), .awvalid(awvalid),
      .awready(awready), .wdata(wdata), .wlast(wlast), .wvalid(wvalid), .wready(wready), .bid(bid), .bresp(bresp), .bvalid(bvalid),
      .bready(bready));

  logic [4:0] address_count, data_count, beat;
  logic [63:0] lengths;
  logic [15:0] address_open, data_written;
  axi_write_rules #(
      .WIDTH(WIDTH)
  ) rules (
      .clock(clock), .reset(reset), .awid(awid), .awaddr(awaddr), .awlen(awlen), .awvalid(awvalid), .awready(awready), .wdata(wdata),
      .wlast(wlast), .wvalid(wvalid), .wready(wready), .bid(bid), .bresp(bresp), .bvalid(bvalid), .bready(bready),
      .address_count(address_count), .data_count(data_count), .beat(beat), .lengths(lengths), .address_open(address_open),
      .data_written(data_written));

  // ---- For induction: how the registers of the writer follow from the bursts that the port has seen. ----
  logic [1:0] probe_state; // = writer.bursts.state
  logic [21:0] probe_index; // = writer.bursts.index
  logic [4:0] probe_send_slots; // = writer.send_slots
  logic [4:0] probe_decided; // = writer.beats.write_count
  logic [4:0] probe_started; // = writer.beats.read_count
  logic [79:0] probe_bursts; // = writer.beats.bursts[16]
  logic [4:0] probe_left; // = writer.beats.left
  logic probe_is_sending; // = writer.beats.is_sending
  logic [3:0] probe_send_id; // = writer.send_id
  logic probe_can_send; // = writer.can_send
  logic [4:0] probe_waiting; // = writer.ledger.waiting
  logic [3:0] probe_oldest; // = writer.ledger.oldest
  logic [15:0] probe_answered; // = writer.ledger.answered
  logic probe_answer_valid; // = writer.ledger.answer_valid
  logic [3:0] probe_answer_number; // = writer.ledger.answer_number

  localparam logic [1:0] GATHER = 2'd0;
  localparam logic [1:0] SEND = 2'd1;
  localparam logic [1:0] ADDRESS = 2'd2;

  logic [4:0] oldest_count, addresses, data, length;
  assign oldest_count = probe_decided - probe_waiting;
  assign addresses = address_count - oldest_count; // of the bursts that the ledger has: the first so many
  assign data = data_count - oldest_count;
  assign length = data_count == address_count ? {1'b0, awlen[3:0]} : {1'b0, lengths[4*data_count[3:0]+:4]};

  logic [4:0] not_started;
  assign not_started = probe_decided - probe_started;

  always_comb begin
    if (past_valid) begin
      state_is_known: assert (probe_state != 2'd3);
      burst_fits: assert (probe_state == GATHER || (probe_send_slots != 5'd0 && probe_send_slots <= 5'd16));
      burst_fits_its_place: assert (probe_state != SEND || {1'b0, probe_index[3:0]} + probe_send_slots <= 5'd16);
      address_is_the_burst: assert (!awvalid || awlen == {3'd0, probe_send_slots} - 8'd1);
      decided_are_offered: assert (probe_decided == address_count + {4'd0, awvalid});
      started_are_sent: assert (probe_started == data_count + {4'd0, probe_is_sending});
      number_is_in_turn: assert (probe_send_id == probe_decided[3:0] && probe_oldest == oldest_count[3:0]);
      numbers_are_enough: assert (probe_waiting <= 5'd16);
      number_is_free_to_send: assert (!(probe_state == SEND || (probe_state == GATHER && probe_can_send)) || probe_waiting <= 5'd15);
      addresses_are_decided: assert (addresses <= probe_waiting);
      data_is_decided: assert (data <= probe_waiting && data + {4'd0, probe_is_sending} <= probe_waiting);
      not_started_are_decided: assert (not_started <= probe_waiting);
      awid_is_the_burst: assert (!awvalid || awid == address_count[3:0]);
      answer_is_of_a_burst: assert (!probe_answer_valid || !probe_answered[probe_answer_number]);
      beats_are_counted: assert (probe_is_sending ? probe_left + beat == length + 5'd1 && probe_left != 5'd0 && probe_left <= 5'd16 : beat == 5'd0);
      last_is_counted: assert (!probe_is_sending || wlast == (probe_left == 5'd1));
    end
  end

  // By ID.
  logic [15:0] is_open, answered_was_written, length_is_kept;
  for (genvar id = 0; id < 16; id++) begin : g_id
    logic [3:0] order, next_order;
    logic is_answered, has_address, has_data, is_next;
    assign order = id[3:0] - probe_oldest;
    assign next_order = id[3:0] - probe_started[3:0];
    assign is_answered = probe_answered[id] || (probe_answer_valid && probe_answer_number == id[3:0]);
    assign has_address = {1'b0, order} < addresses;
    assign has_data = {1'b0, order} < data;
    assign is_next = {1'b0, next_order} < not_started;
    assign is_open[id] = address_open[id] == (has_address && !is_answered) && data_written[id] == (has_data && !is_answered);
    assign answered_was_written[id] = !is_answered || (has_address && has_data);
    assign length_is_kept[id] = !is_next || probe_bursts[5*id+:5] ==
                                {1'b0, awvalid && awid == id[3:0] ? awlen[3:0] : lengths[4*id+:4]} + 5'd1;
  end
  always_comb begin
    if (past_valid) begin
      open_ids_are_unanswered: assert (is_open == '1);
      answered_were_written: assert (answered_was_written == '1);
      lengths_are_kept: assert (length_is_kept == '1);
    end
  end
endmodule
