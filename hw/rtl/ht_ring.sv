// SPDX-License-Identifier: Apache-2.0
// The kernel that writes packet records of two ports into up to eight rings in the card's memory, as docs/formats/card-registers.md
// and docs/formats/ring-protocol.md say. It must never invent, repeat or reorder a record of a port, drop one without counting it,
// or show the host a slot that the memory has not confirmed.
//
//   records_0 -> input -+             +-> ring 0 -> m_axi_0
//                       +-> merge ->  |     ...
//   records_1 -> input -+             +-> ring 7 -> m_axi_7
module ht_ring #(
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

    input logic [511:0] records_0_tdata,
    input logic [32:0] records_0_tuser, // [31:0] high word of the packet's time, [32] a tick
    input logic [2:0] records_0_tdest,
    input logic records_0_tlast, // always 1
    input logic records_0_tvalid,
    output logic records_0_tready,

    input logic [511:0] records_1_tdata,
    input logic [32:0] records_1_tuser, // [31:0] high word of the packet's time, [32] a tick
    input logic [2:0] records_1_tdest,
    input logic records_1_tlast, // always 1
    input logic records_1_tvalid,
    output logic records_1_tready,

    output logic [3:0] m_axi_0_awid,
    output logic [63:0] m_axi_0_awaddr,
    output logic [7:0] m_axi_0_awlen,
    output logic [2:0] m_axi_0_awsize,
    output logic [1:0] m_axi_0_awburst,
    output logic [3:0] m_axi_0_awcache,
    output logic [2:0] m_axi_0_awprot,
    output logic m_axi_0_awvalid,
    input logic m_axi_0_awready,
    output logic [511:0] m_axi_0_wdata,
    output logic [63:0] m_axi_0_wstrb,
    output logic m_axi_0_wlast,
    output logic m_axi_0_wvalid,
    input logic m_axi_0_wready,
    input logic [3:0] m_axi_0_bid,
    input logic [1:0] m_axi_0_bresp,
    input logic m_axi_0_bvalid,
    output logic m_axi_0_bready,

    output logic [3:0] m_axi_1_awid,
    output logic [63:0] m_axi_1_awaddr,
    output logic [7:0] m_axi_1_awlen,
    output logic [2:0] m_axi_1_awsize,
    output logic [1:0] m_axi_1_awburst,
    output logic [3:0] m_axi_1_awcache,
    output logic [2:0] m_axi_1_awprot,
    output logic m_axi_1_awvalid,
    input logic m_axi_1_awready,
    output logic [511:0] m_axi_1_wdata,
    output logic [63:0] m_axi_1_wstrb,
    output logic m_axi_1_wlast,
    output logic m_axi_1_wvalid,
    input logic m_axi_1_wready,
    input logic [3:0] m_axi_1_bid,
    input logic [1:0] m_axi_1_bresp,
    input logic m_axi_1_bvalid,
    output logic m_axi_1_bready,

    output logic [3:0] m_axi_2_awid,
    output logic [63:0] m_axi_2_awaddr,
    output logic [7:0] m_axi_2_awlen,
    output logic [2:0] m_axi_2_awsize,
    output logic [1:0] m_axi_2_awburst,
    output logic [3:0] m_axi_2_awcache,
    output logic [2:0] m_axi_2_awprot,
    output logic m_axi_2_awvalid,
    input logic m_axi_2_awready,
    output logic [511:0] m_axi_2_wdata,
    output logic [63:0] m_axi_2_wstrb,
    output logic m_axi_2_wlast,
    output logic m_axi_2_wvalid,
    input logic m_axi_2_wready,
    input logic [3:0] m_axi_2_bid,
    input logic [1:0] m_axi_2_bresp,
    input logic m_axi_2_bvalid,
    output logic m_axi_2_bready,

    output logic [3:0] m_axi_3_awid,
    output logic [63:0] m_axi_3_awaddr,
    output logic [7:0] m_axi_3_awlen,
    output logic [2:0] m_axi_3_awsize,
    output logic [1:0] m_axi_3_awburst,
    output logic [3:0] m_axi_3_awcache,
    output logic [2:0] m_axi_3_awprot,
    output logic m_axi_3_awvalid,
    input logic m_axi_3_awready,
    output logic [511:0] m_axi_3_wdata,
    output logic [63:0] m_axi_3_wstrb,
    output logic m_axi_3_wlast,
    output logic m_axi_3_wvalid,
    input logic m_axi_3_wready,
    input logic [3:0] m_axi_3_bid,
    input logic [1:0] m_axi_3_bresp,
    input logic m_axi_3_bvalid,
    output logic m_axi_3_bready,

    output logic [3:0] m_axi_4_awid,
    output logic [63:0] m_axi_4_awaddr,
    output logic [7:0] m_axi_4_awlen,
    output logic [2:0] m_axi_4_awsize,
    output logic [1:0] m_axi_4_awburst,
    output logic [3:0] m_axi_4_awcache,
    output logic [2:0] m_axi_4_awprot,
    output logic m_axi_4_awvalid,
    input logic m_axi_4_awready,
    output logic [511:0] m_axi_4_wdata,
    output logic [63:0] m_axi_4_wstrb,
    output logic m_axi_4_wlast,
    output logic m_axi_4_wvalid,
    input logic m_axi_4_wready,
    input logic [3:0] m_axi_4_bid,
    input logic [1:0] m_axi_4_bresp,
    input logic m_axi_4_bvalid,
    output logic m_axi_4_bready,

    output logic [3:0] m_axi_5_awid,
    output logic [63:0] m_axi_5_awaddr,
    output logic [7:0] m_axi_5_awlen,
    output logic [2:0] m_axi_5_awsize,
    output logic [1:0] m_axi_5_awburst,
    output logic [3:0] m_axi_5_awcache,
    output logic [2:0] m_axi_5_awprot,
    output logic m_axi_5_awvalid,
    input logic m_axi_5_awready,
    output logic [511:0] m_axi_5_wdata,
    output logic [63:0] m_axi_5_wstrb,
    output logic m_axi_5_wlast,
    output logic m_axi_5_wvalid,
    input logic m_axi_5_wready,
    input logic [3:0] m_axi_5_bid,
    input logic [1:0] m_axi_5_bresp,
    input logic m_axi_5_bvalid,
    output logic m_axi_5_bready,

    output logic [3:0] m_axi_6_awid,
    output logic [63:0] m_axi_6_awaddr,
    output logic [7:0] m_axi_6_awlen,
    output logic [2:0] m_axi_6_awsize,
    output logic [1:0] m_axi_6_awburst,
    output logic [3:0] m_axi_6_awcache,
    output logic [2:0] m_axi_6_awprot,
    output logic m_axi_6_awvalid,
    input logic m_axi_6_awready,
    output logic [511:0] m_axi_6_wdata,
    output logic [63:0] m_axi_6_wstrb,
    output logic m_axi_6_wlast,
    output logic m_axi_6_wvalid,
    input logic m_axi_6_wready,
    input logic [3:0] m_axi_6_bid,
    input logic [1:0] m_axi_6_bresp,
    input logic m_axi_6_bvalid,
    output logic m_axi_6_bready,

    output logic [3:0] m_axi_7_awid,
    output logic [63:0] m_axi_7_awaddr,
    output logic [7:0] m_axi_7_awlen,
    output logic [2:0] m_axi_7_awsize,
    output logic [1:0] m_axi_7_awburst,
    output logic [3:0] m_axi_7_awcache,
    output logic [2:0] m_axi_7_awprot,
    output logic m_axi_7_awvalid,
    input logic m_axi_7_awready,
    output logic [511:0] m_axi_7_wdata,
    output logic [63:0] m_axi_7_wstrb,
    output logic m_axi_7_wlast,
    output logic m_axi_7_wvalid,
    input logic m_axi_7_wready,
    input logic [3:0] m_axi_7_bid,
    input logic [1:0] m_axi_7_bresp,
    input logic m_axi_7_bvalid,
    output logic m_axi_7_bready
);
  localparam int RINGS = ht_ring_types::RINGS;

  logic reset;
  always_ff @(posedge ap_clk) reset <= !ap_rst_n;

  // ---- The ports of the rings' memories, as vectors ----
  logic [4*RINGS-1:0] awid;
  logic [64*RINGS-1:0] awaddr;
  logic [8*RINGS-1:0] awlen;
  logic [RINGS-1:0] awvalid, awready;
  logic [512*RINGS-1:0] wdata;
  logic [RINGS-1:0] wlast, wvalid, wready;
  logic [4*RINGS-1:0] bid;
  logic [2*RINGS-1:0] bresp;
  logic [RINGS-1:0] bvalid, bready;

  assign {m_axi_7_awid, m_axi_6_awid, m_axi_5_awid, m_axi_4_awid, m_axi_3_awid, m_axi_2_awid, m_axi_1_awid, m_axi_0_awid} =
         awid;
  assign {m_axi_7_awaddr, m_axi_6_awaddr, m_axi_5_awaddr, m_axi_4_awaddr, m_axi_3_awaddr, m_axi_2_awaddr, m_axi_1_awaddr, m_axi_0_awaddr} =
         awaddr;
  assign {m_axi_7_awlen, m_axi_6_awlen, m_axi_5_awlen, m_axi_4_awlen, m_axi_3_awlen, m_axi_2_awlen, m_axi_1_awlen, m_axi_0_awlen} =
         awlen;
  assign {m_axi_7_awvalid, m_axi_6_awvalid, m_axi_5_awvalid, m_axi_4_awvalid, m_axi_3_awvalid, m_axi_2_awvalid, m_axi_1_awvalid, m_axi_0_awvalid} =
         awvalid;
  assign {m_axi_7_wdata, m_axi_6_wdata, m_axi_5_wdata, m_axi_4_wdata, m_axi_3_wdata, m_axi_2_wdata, m_axi_1_wdata, m_axi_0_wdata} =
         wdata;
  assign {m_axi_7_wlast, m_axi_6_wlast, m_axi_5_wlast, m_axi_4_wlast, m_axi_3_wlast, m_axi_2_wlast, m_axi_1_wlast, m_axi_0_wlast} =
         wlast;
  assign {m_axi_7_wvalid, m_axi_6_wvalid, m_axi_5_wvalid, m_axi_4_wvalid, m_axi_3_wvalid, m_axi_2_wvalid, m_axi_1_wvalid, m_axi_0_wvalid} =
         wvalid;
  assign {m_axi_7_bready, m_axi_6_bready, m_axi_5_bready, m_axi_4_bready, m_axi_3_bready, m_axi_2_bready, m_axi_1_bready, m_axi_0_bready} =
         bready;
  assign awready =
         {m_axi_7_awready, m_axi_6_awready, m_axi_5_awready, m_axi_4_awready, m_axi_3_awready, m_axi_2_awready, m_axi_1_awready, m_axi_0_awready};
  assign wready =
         {m_axi_7_wready, m_axi_6_wready, m_axi_5_wready, m_axi_4_wready, m_axi_3_wready, m_axi_2_wready, m_axi_1_wready, m_axi_0_wready};
  assign bid =
         {m_axi_7_bid, m_axi_6_bid, m_axi_5_bid, m_axi_4_bid, m_axi_3_bid, m_axi_2_bid, m_axi_1_bid, m_axi_0_bid};
  assign bresp =
         {m_axi_7_bresp, m_axi_6_bresp, m_axi_5_bresp, m_axi_4_bresp, m_axi_3_bresp, m_axi_2_bresp, m_axi_1_bresp, m_axi_0_bresp};
  assign bvalid =
         {m_axi_7_bvalid, m_axi_6_bvalid, m_axi_5_bvalid, m_axi_4_bvalid, m_axi_3_bvalid, m_axi_2_bvalid, m_axi_1_bvalid, m_axi_0_bvalid};

  // Whole slots of 64 bytes, address by address, bufferable and modifiable.
  assign {m_axi_7_awsize, m_axi_6_awsize, m_axi_5_awsize, m_axi_4_awsize, m_axi_3_awsize, m_axi_2_awsize, m_axi_1_awsize, m_axi_0_awsize} =
         {RINGS{3'b110}};
  assign {m_axi_7_awburst, m_axi_6_awburst, m_axi_5_awburst, m_axi_4_awburst, m_axi_3_awburst, m_axi_2_awburst, m_axi_1_awburst, m_axi_0_awburst} =
         {RINGS{2'b01}};
  assign {m_axi_7_awcache, m_axi_6_awcache, m_axi_5_awcache, m_axi_4_awcache, m_axi_3_awcache, m_axi_2_awcache, m_axi_1_awcache, m_axi_0_awcache} =
         {RINGS{4'b0011}};
  assign {m_axi_7_awprot, m_axi_6_awprot, m_axi_5_awprot, m_axi_4_awprot, m_axi_3_awprot, m_axi_2_awprot, m_axi_1_awprot, m_axi_0_awprot} =
         {RINGS{3'b000}};
  assign {m_axi_7_wstrb, m_axi_6_wstrb, m_axi_5_wstrb, m_axi_4_wstrb, m_axi_3_wstrb, m_axi_2_wstrb, m_axi_1_wstrb, m_axi_0_wstrb} =
         {(64 * RINGS) {1'b1}};

  // ---- Registers, start and stop ----
  logic write, read;
  logic [9:0] write_word, read_word;
  logic [31:0] write_data, read_data;
  ht_register_port #(
      .ADDRESS_BITS(12),
      .READ_CYCLES(2)
  ) register_port (
      .clock(ap_clk),
      .reset(reset),
      .awaddr(s_axi_control_awaddr),
      .awvalid(s_axi_control_awvalid),
      .awready(s_axi_control_awready),
      .wdata(s_axi_control_wdata),
      .wstrb(s_axi_control_wstrb),
      .wvalid(s_axi_control_wvalid),
      .wready(s_axi_control_wready),
      .bresp(s_axi_control_bresp),
      .bvalid(s_axi_control_bvalid),
      .bready(s_axi_control_bready),
      .araddr(s_axi_control_araddr),
      .arvalid(s_axi_control_arvalid),
      .arready(s_axi_control_arready),
      .rdata(s_axi_control_rdata),
      .rresp(s_axi_control_rresp),
      .rvalid(s_axi_control_rvalid),
      .rready(s_axi_control_rready),
      .write(write),
      .write_word(write_word),
      .write_data(write_data),
      .read(read),
      .read_word(read_word),
      .read_data(read_data)
  );

  logic start, stop, idle, done, clear, open;
  logic [64*RINGS-1:0] base_addresses;
  logic [ht_ring_types::COUNT_BITS-1:0] slots;
  logic [RINGS-1:0] rings_in_use;
  logic [31:0] flush_cycles;
  logic misdirected_packet;
  logic [1:0] discarded_packet;
  logic [RINGS-1:0] write_credit, read_ring;
  logic [32*RINGS-1:0] ring_data;
  ht_ring_registers #(
      .BUILD(BUILD)
  ) registers (
      .clock(ap_clk),
      .reset(reset),
      .write(write),
      .write_word(write_word),
      .write_data(write_data),
      .read(read),
      .read_word(read_word),
      .read_data(read_data),
      .start(start),
      .stop(stop),
      .idle(idle),
      .done(done),
      .base_addresses(base_addresses),
      .slots(slots),
      .rings_in_use(rings_in_use),
      .flush_cycles(flush_cycles),
      .misdirected_packet(misdirected_packet),
      .discarded_packet(discarded_packet),
      .write_credit(write_credit),
      .read_ring(read_ring),
      .ring_data(ring_data)
  );

  logic [1:0] input_empty;
  logic merge_idle, send_last, last_sent;
  logic [RINGS-1:0] finished;
  ht_ring_run run (
      .clock(ap_clk),
      .reset(reset),
      .start(start),
      .stop(stop),
      .idle(idle),
      .done(done),
      .clear(clear),
      .open(open),
      .record_valid({records_1_tvalid, records_0_tvalid}),
      .record_taken({records_1_tvalid && records_1_tready, records_0_tvalid && records_0_tready}),
      .input_empty(input_empty),
      .merge_idle(merge_idle),
      .send_last(send_last),
      .last_sent(last_sent),
      .finished(finished)
  );

  // ---- Records in ----
  logic [1:0] beat_valid, beat_pop;
  ht_ring_types::beat_t beat_0, beat_1;
  ht_ring_input input_0 (
      .clock(ap_clk),
      .reset(reset),
      .open(open),
      .rings_in_use(rings_in_use),
      .tdata(records_0_tdata),
      .tuser(records_0_tuser),
      .tdest(records_0_tdest),
      .tvalid(records_0_tvalid),
      .tready(records_0_tready),
      .discarded_packet(discarded_packet[0]),
      .valid(beat_valid[0]),
      .beat(beat_0),
      .pop(beat_pop[0]),
      .empty(input_empty[0])
  );
  ht_ring_input input_1 (
      .clock(ap_clk),
      .reset(reset),
      .open(open),
      .rings_in_use(rings_in_use),
      .tdata(records_1_tdata),
      .tuser(records_1_tuser),
      .tdest(records_1_tdest),
      .tvalid(records_1_tvalid),
      .tready(records_1_tready),
      .discarded_packet(discarded_packet[1]),
      .valid(beat_valid[1]),
      .beat(beat_1),
      .pop(beat_pop[1]),
      .empty(input_empty[1])
  );

  logic [RINGS-1:0] room, item_rings;
  ht_ring_types::item_t item;
  logic [511:0] item_record;
  ht_ring_merge merge (
      .clock(ap_clk),
      .reset(reset),
      .clear(clear),
      .rings_in_use(rings_in_use),
      .valid(beat_valid),
      .beat_0(beat_0),
      .beat_1(beat_1),
      .pop(beat_pop),
      .send_last(send_last),
      .last_sent(last_sent),
      .room(room),
      .item_rings(item_rings),
      .item(item),
      .item_record(item_record),
      .misdirected_packet(misdirected_packet),
      .idle(merge_idle)
  );

  // ---- Slots out ----
  for (genvar ring = 0; ring < RINGS; ring++) begin : g_ring
    ht_ring_one one (
        .clock(ap_clk),
        .clear(clear),
        .in_use(rings_in_use[ring]),
        .base_address(base_addresses[64*ring+:64]),
        .slots(slots),
        .flush_cycles(flush_cycles),
        .item_valid(item_rings[ring]),
        .item(item),
        .item_record(item_record),
        .room(room[ring]),
        .finished(finished[ring]),
        .write_credit(write_credit[ring]),
        .write_data(write_data),
        .read(read_ring[ring]),
        .read_word(read_word[3:0]),
        .read_data(ring_data[32*ring+:32]),
        .awid(awid[4*ring+:4]),
        .awaddr(awaddr[64*ring+:64]),
        .awlen(awlen[8*ring+:8]),
        .awvalid(awvalid[ring]),
        .awready(awready[ring]),
        .wdata(wdata[512*ring+:512]),
        .wlast(wlast[ring]),
        .wvalid(wvalid[ring]),
        .wready(wready[ring]),
        .bid(bid[4*ring+:4]),
        .bresp(bresp[2*ring+:2]),
        .bvalid(bvalid[ring]),
        .bready(bready[ring])
    );
  end
endmodule
