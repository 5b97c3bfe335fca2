// SPDX-License-Identifier: Apache-2.0
// Kernel: the frames of a capture in the card's memory out, as a MAC would hand them on, for a card without a cable and for hardware
// emulation. The memory holds blocks of 32 lengths and as many frames (docs/formats/card-registers.md, capture_block).
module ht_pcapsrc #(
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

    output logic [63:0] m_axi_araddr,
    output logic [7:0] m_axi_arlen,
    output logic [2:0] m_axi_arsize,
    output logic [1:0] m_axi_arburst,
    output logic [3:0] m_axi_arcache,
    output logic [2:0] m_axi_arprot,
    output logic m_axi_arvalid,
    input logic m_axi_arready,
    input logic [511:0] m_axi_rdata,
    input logic [1:0] m_axi_rresp,
    input logic m_axi_rlast,
    input logic m_axi_rvalid,
    output logic m_axi_rready,

    output logic [511:0] frames_tdata,
    output logic [63:0] frames_tkeep,
    output logic frames_tlast,
    output logic frames_tuser,
    output logic frames_tvalid,
    input logic frames_tready
);
  logic clock, reset;
  assign clock = ap_clk;
  always_ff @(posedge clock) reset <= !ap_rst_n;

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

  logic start, stop, idle, done;
  logic [63:0] base_address;
  logic [31:0] units, rounds, gap_cycles;
  logic sent_packet, read_failed, cut_short;
  logic [6:0] sent_bytes;
  ht_pcapsrc_registers #(.BUILD(BUILD)) registers (
      .clock(clock), .reset(reset), .write(write), .write_word(write_word), .write_data(write_data), .read(read),
      .read_word(read_word), .read_data(read_data), .start(start), .stop(stop), .idle(idle), .done(done),
      .base_address(base_address), .units(units), .rounds(rounds), .gap_cycles(gap_cycles), .sent_packet(sent_packet),
      .sent_beat_bytes(sent_bytes), .read_failed(read_failed), .cut_short(cut_short));

  // ---- From start to done: at a stop, at the end of the last round, or when no more can be read. ----
  localparam logic [1:0] IDLE = 2'd0;
  localparam logic [1:0] BEGIN = 2'd1;
  localparam logic [1:0] RUN = 2'd2;
  localparam logic [1:0] END = 2'd3;
  logic [1:0] state;
  logic in_frame, frames_idle, reader_idle, exhausted, opens_reader;
  assign idle = state == IDLE;
  assign opens_reader = state == RUN || (state == END && in_frame);
  always_ff @(posedge clock) begin
    done <= 1'b0;
    case (state)
      IDLE: if (start) state <= BEGIN;
      BEGIN: state <= RUN;
      RUN: if (stop || exhausted || read_failed || cut_short) state <= END;
      default: if (frames_idle && reader_idle && !in_frame) begin
        state <= IDLE;
        done <= 1'b1;
      end
    endcase
    if (reset) state <= IDLE;
  end

  logic unit_valid, unit_failed, unit_ends_round, unit_pop;
  logic [511:0] unit_data;
  ht_pcapsrc_reader reader (
      .clock(clock), .reset(reset), .begins(state == BEGIN), .opens(opens_reader), .base_address(base_address), .units(units),
      .rounds(rounds), .idle(reader_idle), .exhausted(exhausted), .araddr(m_axi_araddr), .arlen(m_axi_arlen), .arvalid(m_axi_arvalid),
      .arready(m_axi_arready), .rdata(m_axi_rdata), .rresp(m_axi_rresp), .rvalid(m_axi_rvalid), .rready(m_axi_rready),
      .unit_valid(unit_valid), .unit_data(unit_data), .unit_failed(unit_failed), .unit_ends_round(unit_ends_round),
      .unit_pop(unit_pop));
  assign m_axi_arsize = 3'd6;
  assign m_axi_arburst = 2'd1;
  assign m_axi_arcache = 4'b0011;
  assign m_axi_arprot = 3'b000;

  ht_pcapsrc_frames frames (
      .clock(clock), .reset(reset), .begins(state == BEGIN), .opens(state == RUN), .gap_cycles(gap_cycles), .in_frame(in_frame),
      .idle(frames_idle), .unit_valid(unit_valid), .unit_data(unit_data), .unit_failed(unit_failed),
      .unit_ends_round(unit_ends_round), .unit_pop(unit_pop), .tdata(frames_tdata), .tkeep(frames_tkeep), .tlast(frames_tlast),
      .tuser(frames_tuser), .tvalid(frames_tvalid), .tready(frames_tready), .sent_packet(sent_packet), .sent_bytes(sent_bytes),
      .read_failed(read_failed), .cut_short(cut_short));
endmodule
