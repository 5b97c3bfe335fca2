// SPDX-License-Identifier: Apache-2.0
// Kernel: the frames of one port in, a record of each out, for the ring of its flow. The wire cannot be made to wait, so tready never
// falls: what finds no room on the way to the rings is dropped here, and counted.
module ht_tap #(
    parameter logic [31:0] BUILD = 32'd0
) (
    input logic ap_clk,
    input logic ap_rst_n,

    input logic [11:0] s_axi_control_awaddr,
    input logic s_axi_control_awvalid,
    output logic s_axi_control_awready,
    input logic [31:0] s_axi_control_wdata,
    input logic [3:0] s_axi_control_wstrb,
    input logic s_axi_control_wvalid,
    output logic s_axi_control_wready,
    output logic [1:0] s_axi_control_bresp,
    output logic s_axi_control_bvalid,
    input logic s_axi_control_bready,
    input logic [11:0] s_axi_control_araddr,
    input logic s_axi_control_arvalid,
    output logic s_axi_control_arready,
    output logic [31:0] s_axi_control_rdata,
    output logic [1:0] s_axi_control_rresp,
    output logic s_axi_control_rvalid,
    input logic s_axi_control_rready,

    input logic [511:0] frames_tdata,
    input logic [63:0] frames_tkeep,
    input logic frames_tlast,
    input logic frames_tuser, // with the last beat: the MAC found the frame damaged
    input logic frames_tvalid,
    output logic frames_tready,

    output logic [511:0] records_tdata,
    output logic [32:0] records_tuser, // a time alone, and the high word of the time
    output logic [2:0] records_tdest,
    output logic records_tlast,
    output logic records_tvalid,
    input logic records_tready
);
  logic clock, reset;
  assign clock = ap_clk;
  always_ff @(posedge clock) reset <= !ap_rst_n;

  // ---- Registers ----
  logic write, read;
  logic [9:0] write_word, read_word;
  logic [31:0] write_data, read_data;
  ht_register_port port (
      .clock(clock), .reset(reset),
      .awaddr(s_axi_control_awaddr), .awvalid(s_axi_control_awvalid), .awready(s_axi_control_awready),
      .wdata(s_axi_control_wdata), .wstrb(s_axi_control_wstrb), .wvalid(s_axi_control_wvalid), .wready(s_axi_control_wready),
      .bresp(s_axi_control_bresp), .bvalid(s_axi_control_bvalid), .bready(s_axi_control_bready),
      .araddr(s_axi_control_araddr), .arvalid(s_axi_control_arvalid), .arready(s_axi_control_arready),
      .rdata(s_axi_control_rdata), .rresp(s_axi_control_rresp), .rvalid(s_axi_control_rvalid), .rready(s_axi_control_rready),
      .write(write), .write_word(write_word), .write_data(write_data), .read(read), .read_word(read_word), .read_data(read_data));

  logic start, stop, idle, done, runs;
  logic ingress_port, classifying, sets_time, writes_table, writes_rule;
  logic [14:0] key_group_mask, table_key_group;
  logic [63:0] set_time_ns, time_ns;
  logic [31:0] time_increment, tick_cycles;
  logic [2:0] table_ring;
  logic [9:0] rule_word;
  logic [63:0] received_packets, received_bytes, bad_packets, filtered_packets, overflowed_packets, sent_packets;
  ht_tap_registers #(.BUILD(BUILD)) registers (
      .clock(clock), .reset(reset), .write(write), .write_word(write_word), .write_data(write_data),
      .read(read), .read_word(read_word), .read_data(read_data),
      .start(start), .stop(stop), .idle(idle), .done(done),
      .ingress_port(ingress_port), .key_group_mask(key_group_mask), .classifying(classifying),
      .sets_time(sets_time), .set_time_ns(set_time_ns), .time_increment(time_increment), .tick_cycles(tick_cycles), .time_ns(time_ns),
      .writes_table(writes_table), .table_key_group(table_key_group), .table_ring(table_ring),
      .writes_rule(writes_rule), .rule_word(rule_word),
      .received_packets(received_packets), .received_bytes(received_bytes), .bad_packets(bad_packets),
      .filtered_packets(filtered_packets), .overflowed_packets(overflowed_packets), .sent_packets(sent_packets));

  ht_clock time_of_day (
      .clock(clock), .reset(reset), .set(sets_time), .set_ns(set_time_ns), .increment(time_increment), .time_ns(time_ns));

  // ---- Frames, while it runs; it begins and ends between two of them. ----
  logic open, opens, in_frame;
  assign frames_tready = 1'b1;
  assign opens = in_frame ? open : runs;
  always_ff @(posedge clock) begin
    open <= opens;
    if (frames_tvalid) in_frame <= !frames_tlast;
    if (reset) in_frame <= 1'b0;
  end

  logic frame_valid, frame_bad;
  logic [1023:0] frame_bytes;
  logic [ht_types::LENGTH_BITS-1:0] frame_length;
  logic [63:0] frame_time_ns, settled_ns;
  ht_window window (
      .clock(clock), .reset(reset), .time_ns(time_ns),
      .beat_valid(frames_tvalid && opens), .beat_data(frames_tdata), .beat_keep(frames_tkeep), .beat_last(frames_tlast),
      .beat_bad(frames_tuser), .frame_valid(frame_valid), .frame_bad(frame_bad), .frame_bytes(frame_bytes),
      .frame_length(frame_length), .frame_time_ns(frame_time_ns), .settled_ns(settled_ns));

  // ---- Room for each that is let in, and a tick where no frame is. ----
  localparam int QUEUE_LOG2 = 9;
  localparam logic [QUEUE_LOG2:0] ROOM = (QUEUE_LOG2 + 1)'((1 << QUEUE_LOG2) - 16);
  logic [QUEUE_LOG2:0] held;
  logic has_room, admits, ticks, tick_due, leaves;
  logic [31:0] tick_count;
  assign admits = frame_valid && !frame_bad && has_room;
  assign ticks = tick_due && !frame_valid && has_room;

  logic out_valid, out_tick, out_drops, filters, pushes;
  logic [31:0] out_time_high;
  logic [2:0] out_ring;
  fs_abi::packet_record_t out_record;
  ht_tap_pipeline pipeline (
      .clock(clock), .reset(reset),
      .frame_valid(admits || ticks), .frame_tick(ticks), .frame_bytes(frame_bytes), .frame_length(frame_length),
      .frame_time_ns(ticks ? settled_ns : frame_time_ns),
      .ingress_port(ingress_port), .key_group_mask(key_group_mask), .classifying(classifying),
      .writes_rule(writes_rule), .rule_word(rule_word), .write_data(write_data),
      .writes_table(writes_table), .table_key_group(table_key_group), .table_ring(table_ring),
      .out_valid(out_valid), .out_tick(out_tick), .out_drops(out_drops), .out_time_high(out_time_high), .out_ring(out_ring),
      .out_record(out_record));
  assign filters = out_valid && !out_tick && out_drops;
  assign pushes = out_valid && (out_tick || !out_drops);

  logic empty, queue_has_room;
  ht_block_fifo #(.WIDTH(512 + 33 + 3), .DEPTH_LOG2(QUEUE_LOG2)) queue (
      .clock(clock), .reset(reset), .push(pushes), .push_data({out_tick, out_time_high, out_ring, out_record}),
      .has_room(queue_has_room), .valid(records_tvalid), .data({records_tuser, records_tdest, records_tdata}),
      .pop(records_tvalid && records_tready), .empty(empty));
  assign records_tlast = 1'b1;
  assign leaves = records_tvalid && records_tready;

  always_ff @(posedge clock) begin
    held <= held + {{QUEUE_LOG2{1'b0}}, admits || ticks} - {{QUEUE_LOG2{1'b0}}, leaves} - {{QUEUE_LOG2{1'b0}}, filters};
    has_room <= held < ROOM;
    if (ticks || !runs) begin
      tick_due <= 1'b0;
    end else if (tick_count == 32'd0) begin
      tick_due <= 1'b1;
    end
    tick_count <= tick_count == 32'd0 || !runs ? tick_cycles - 32'd1 : tick_count - 32'd1;
    if (reset) begin
      held <= '0;
      has_room <= 1'b0;
      tick_due <= 1'b0;
    end
  end

  // ---- Counters; a start sets them to zero. ----
  always_ff @(posedge clock) begin
    if (frame_valid) begin
      if (frame_bad) begin
        bad_packets <= bad_packets + 64'd1;
      end else begin
        received_packets <= received_packets + 64'd1;
        received_bytes <= received_bytes + {45'b0, frame_length};
        if (!has_room) overflowed_packets <= overflowed_packets + 64'd1;
      end
    end
    if (filters) filtered_packets <= filtered_packets + 64'd1;
    if (pushes && !out_tick) sent_packets <= sent_packets + 64'd1;
    if (reset || start) begin
      received_packets <= 64'd0;
      received_bytes <= 64'd0;
      bad_packets <= 64'd0;
      filtered_packets <= 64'd0;
      overflowed_packets <= 64'd0;
      sent_packets <= 64'd0;
    end
  end

  // ---- From start to done: it ends when the last frame's record has gone. ----
  localparam logic [7:0] SETTLED_CYCLES = 8'd100; // more than a record is under way between any two places where it is counted
  logic [7:0] quiet_cycles;
  logic stopping;
  assign idle = !runs && !stopping;
  always_ff @(posedge clock) begin
    done <= 1'b0;
    if (start) runs <= 1'b1;
    if (runs && stop) begin
      runs <= 1'b0;
      stopping <= 1'b1;
    end
    quiet_cycles <= held == '0 && empty && !(in_frame && opens) ? quiet_cycles + 8'd1 : 8'd0;
    if (!stopping) quiet_cycles <= 8'd0;
    if (stopping && quiet_cycles == SETTLED_CYCLES) begin
      stopping <= 1'b0;
      done <= 1'b1;
    end
    if (reset) begin
      runs <= 1'b0;
      stopping <= 1'b0;
    end
  end
endmodule
