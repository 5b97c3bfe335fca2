// SPDX-License-Identifier: Apache-2.0
// ht_ring as the bench sees it: the eight memories' ports as vectors, and what the reference has to know of the kernel's inside: in
// which order the two ports' records were taken, when a ring was done with an item, and when it saw that slots were given back.
module ring_bench (
    input logic clock,
    input logic reset_n,

    input logic [11:0] control_awaddr,
    input logic control_awvalid,
    output logic control_awready,
    input logic [31:0] control_wdata,
    input logic [3:0] control_wstrb,
    input logic control_wvalid,
    output logic control_wready,
    output logic [1:0] control_bresp,
    output logic control_bvalid,
    input logic control_bready,
    input logic [11:0] control_araddr,
    input logic control_arvalid,
    output logic control_arready,
    output logic [31:0] control_rdata,
    output logic [1:0] control_rresp,
    output logic control_rvalid,
    input logic control_rready,

    input logic [1023:0] tdata, // port 1 above port 0
    input logic [32:0] tuser_0,
    input logic [32:0] tuser_1,
    input logic [5:0] tdest,
    input logic [1:0] tvalid,
    output logic [1:0] tready,

    output logic [31:0] awid,
    output logic [511:0] awaddr,
    output logic [63:0] awlen,
    output logic [23:0] awsize,
    output logic [15:0] awburst,
    output logic [7:0] awvalid,
    input logic [7:0] awready,
    output logic [4095:0] wdata,
    output logic [511:0] wstrb,
    output logic [7:0] wlast,
    output logic [7:0] wvalid,
    input logic [7:0] wready,
    input logic [31:0] bid,
    input logic [15:0] bresp,
    input logic [7:0] bvalid,
    output logic [7:0] bready,

    output logic probe_open,
    output logic [1:0] probe_taken,
    output logic probe_last,
    output logic [7:0] probe_room,
    output logic [7:0] probe_done,
    output logic [8*32-1:0] probe_released,
    output logic [8*64-1:0] probe_head
);
  logic [3:0] unused_cache[0:7];
  logic [2:0] unused_prot[0:7];

  ht_ring
`ifndef NETLIST
  #(
      .BUILD(32'h20261121)
  )
`endif
  dut (
      .ap_clk(clock),
      .ap_rst_n(reset_n),
      .s_axi_control_awaddr(control_awaddr),
      .s_axi_control_awvalid(control_awvalid),
      .s_axi_control_awready(control_awready),
      .s_axi_control_wdata(control_wdata),
      .s_axi_control_wstrb(control_wstrb),
      .s_axi_control_wvalid(control_wvalid),
      .s_axi_control_wready(control_wready),
      .s_axi_control_bresp(control_bresp),
      .s_axi_control_bvalid(control_bvalid),
      .s_axi_control_bready(control_bready),
      .s_axi_control_araddr(control_araddr),
      .s_axi_control_arvalid(control_arvalid),
      .s_axi_control_arready(control_arready),
      .s_axi_control_rdata(control_rdata),
      .s_axi_control_rresp(control_rresp),
      .s_axi_control_rvalid(control_rvalid),
      .s_axi_control_rready(control_rready),
      .records_0_tdata(tdata[0+:512]),
      .records_0_tuser(tuser_0),
      .records_0_tdest(tdest[0+:3]),
      .records_0_tlast(1'b1),
      .records_0_tvalid(tvalid[0]),
      .records_0_tready(tready[0]),
      .records_1_tdata(tdata[512+:512]),
      .records_1_tuser(tuser_1),
      .records_1_tdest(tdest[3+:3]),
      .records_1_tlast(1'b1),
      .records_1_tvalid(tvalid[1]),
      .records_1_tready(tready[1]),
      .m_axi_0_awid(awid[0+:4]),
      .m_axi_0_awaddr(awaddr[0+:64]),
      .m_axi_0_awlen(awlen[0+:8]),
      .m_axi_0_awsize(awsize[0+:3]),
      .m_axi_0_awburst(awburst[0+:2]),
      .m_axi_0_awvalid(awvalid[0]),
      .m_axi_0_awready(awready[0]),
      .m_axi_0_wdata(wdata[0+:512]),
      .m_axi_0_wstrb(wstrb[0+:64]),
      .m_axi_0_wlast(wlast[0]),
      .m_axi_0_wvalid(wvalid[0]),
      .m_axi_0_wready(wready[0]),
      .m_axi_0_bid(bid[0+:4]),
      .m_axi_0_bresp(bresp[0+:2]),
      .m_axi_0_bvalid(bvalid[0]),
      .m_axi_0_bready(bready[0]),
      .m_axi_0_awcache(unused_cache[0]),
      .m_axi_0_awprot(unused_prot[0]),
      .m_axi_1_awid(awid[4+:4]),
      .m_axi_1_awaddr(awaddr[64+:64]),
      .m_axi_1_awlen(awlen[8+:8]),
      .m_axi_1_awsize(awsize[3+:3]),
      .m_axi_1_awburst(awburst[2+:2]),
      .m_axi_1_awvalid(awvalid[1]),
      .m_axi_1_awready(awready[1]),
      .m_axi_1_wdata(wdata[512+:512]),
      .m_axi_1_wstrb(wstrb[64+:64]),
      .m_axi_1_wlast(wlast[1]),
      .m_axi_1_wvalid(wvalid[1]),
      .m_axi_1_wready(wready[1]),
      .m_axi_1_bid(bid[4+:4]),
      .m_axi_1_bresp(bresp[2+:2]),
      .m_axi_1_bvalid(bvalid[1]),
      .m_axi_1_bready(bready[1]),
      .m_axi_1_awcache(unused_cache[1]),
      .m_axi_1_awprot(unused_prot[1]),
      .m_axi_2_awid(awid[8+:4]),
      .m_axi_2_awaddr(awaddr[128+:64]),
      .m_axi_2_awlen(awlen[16+:8]),
      .m_axi_2_awsize(awsize[6+:3]),
      .m_axi_2_awburst(awburst[4+:2]),
      .m_axi_2_awvalid(awvalid[2]),
      .m_axi_2_awready(awready[2]),
      .m_axi_2_wdata(wdata[1024+:512]),
      .m_axi_2_wstrb(wstrb[128+:64]),
      .m_axi_2_wlast(wlast[2]),
      .m_axi_2_wvalid(wvalid[2]),
      .m_axi_2_wready(wready[2]),
      .m_axi_2_bid(bid[8+:4]),
      .m_axi_2_bresp(bresp[4+:2]),
      .m_axi_2_bvalid(bvalid[2]),
      .m_axi_2_bready(bready[2]),
      .m_axi_2_awcache(unused_cache[2]),
      .m_axi_2_awprot(unused_prot[2]),
      .m_axi_3_awid(awid[12+:4]),
      .m_axi_3_awaddr(awaddr[192+:64]),
      .m_axi_3_awlen(awlen[24+:8]),
      .m_axi_3_awsize(awsize[9+:3]),
      .m_axi_3_awburst(awburst[6+:2]),
      .m_axi_3_awvalid(awvalid[3]),
      .m_axi_3_awready(awready[3]),
      .m_axi_3_wdata(wdata[1536+:512]),
      .m_axi_3_wstrb(wstrb[192+:64]),
      .m_axi_3_wlast(wlast[3]),
      .m_axi_3_wvalid(wvalid[3]),
      .m_axi_3_wready(wready[3]),
      .m_axi_3_bid(bid[12+:4]),
      .m_axi_3_bresp(bresp[6+:2]),
      .m_axi_3_bvalid(bvalid[3]),
      .m_axi_3_bready(bready[3]),
      .m_axi_3_awcache(unused_cache[3]),
      .m_axi_3_awprot(unused_prot[3]),
      .m_axi_4_awid(awid[16+:4]),
      .m_axi_4_awaddr(awaddr[256+:64]),
      .m_axi_4_awlen(awlen[32+:8]),
      .m_axi_4_awsize(awsize[12+:3]),
      .m_axi_4_awburst(awburst[8+:2]),
      .m_axi_4_awvalid(awvalid[4]),
      .m_axi_4_awready(awready[4]),
      .m_axi_4_wdata(wdata[2048+:512]),
      .m_axi_4_wstrb(wstrb[256+:64]),
      .m_axi_4_wlast(wlast[4]),
      .m_axi_4_wvalid(wvalid[4]),
      .m_axi_4_wready(wready[4]),
      .m_axi_4_bid(bid[16+:4]),
      .m_axi_4_bresp(bresp[8+:2]),
      .m_axi_4_bvalid(bvalid[4]),
      .m_axi_4_bready(bready[4]),
      .m_axi_4_awcache(unused_cache[4]),
      .m_axi_4_awprot(unused_prot[4]),
      .m_axi_5_awid(awid[20+:4]),
      .m_axi_5_awaddr(awaddr[320+:64]),
      .m_axi_5_awlen(awlen[40+:8]),
      .m_axi_5_awsize(awsize[15+:3]),
      .m_axi_5_awburst(awburst[10+:2]),
      .m_axi_5_awvalid(awvalid[5]),
      .m_axi_5_awready(awready[5]),
      .m_axi_5_wdata(wdata[2560+:512]),
      .m_axi_5_wstrb(wstrb[320+:64]),
      .m_axi_5_wlast(wlast[5]),
      .m_axi_5_wvalid(wvalid[5]),
      .m_axi_5_wready(wready[5]),
      .m_axi_5_bid(bid[20+:4]),
      .m_axi_5_bresp(bresp[10+:2]),
      .m_axi_5_bvalid(bvalid[5]),
      .m_axi_5_bready(bready[5]),
      .m_axi_5_awcache(unused_cache[5]),
      .m_axi_5_awprot(unused_prot[5]),
      .m_axi_6_awid(awid[24+:4]),
      .m_axi_6_awaddr(awaddr[384+:64]),
      .m_axi_6_awlen(awlen[48+:8]),
      .m_axi_6_awsize(awsize[18+:3]),
      .m_axi_6_awburst(awburst[12+:2]),
      .m_axi_6_awvalid(awvalid[6]),
      .m_axi_6_awready(awready[6]),
      .m_axi_6_wdata(wdata[3072+:512]),
      .m_axi_6_wstrb(wstrb[384+:64]),
      .m_axi_6_wlast(wlast[6]),
      .m_axi_6_wvalid(wvalid[6]),
      .m_axi_6_wready(wready[6]),
      .m_axi_6_bid(bid[24+:4]),
      .m_axi_6_bresp(bresp[12+:2]),
      .m_axi_6_bvalid(bvalid[6]),
      .m_axi_6_bready(bready[6]),
      .m_axi_6_awcache(unused_cache[6]),
      .m_axi_6_awprot(unused_prot[6]),
      .m_axi_7_awid(awid[28+:4]),
      .m_axi_7_awaddr(awaddr[448+:64]),
      .m_axi_7_awlen(awlen[56+:8]),
      .m_axi_7_awsize(awsize[21+:3]),
      .m_axi_7_awburst(awburst[14+:2]),
      .m_axi_7_awvalid(awvalid[7]),
      .m_axi_7_awready(awready[7]),
      .m_axi_7_wdata(wdata[3584+:512]),
      .m_axi_7_wstrb(wstrb[448+:64]),
      .m_axi_7_wlast(wlast[7]),
      .m_axi_7_wvalid(wvalid[7]),
      .m_axi_7_wready(wready[7]),
      .m_axi_7_bid(bid[28+:4]),
      .m_axi_7_bresp(bresp[14+:2]),
      .m_axi_7_bvalid(bvalid[7]),
      .m_axi_7_bready(bready[7]),
      .m_axi_7_awcache(unused_cache[7]),
      .m_axi_7_awprot(unused_prot[7])
  );

  assign probe_open = dut.open;
  assign probe_taken = dut.beat_pop;
  assign probe_last = dut.last_sent;
  assign probe_room = dut.room;
`ifdef NETLIST
  // As Yosys writes the instances of a loop.
  assign probe_done[0] = dut.\g_ring[0].one .item_done;
  assign probe_released[32*0+:32] = {9'd0, dut.\g_ring[0].one .released};
  assign probe_head[64*0+:64] = dut.\g_ring[0].one .head;
  assign probe_done[1] = dut.\g_ring[1].one .item_done;
  assign probe_released[32*1+:32] = {9'd0, dut.\g_ring[1].one .released};
  assign probe_head[64*1+:64] = dut.\g_ring[1].one .head;
  assign probe_done[2] = dut.\g_ring[2].one .item_done;
  assign probe_released[32*2+:32] = {9'd0, dut.\g_ring[2].one .released};
  assign probe_head[64*2+:64] = dut.\g_ring[2].one .head;
  assign probe_done[3] = dut.\g_ring[3].one .item_done;
  assign probe_released[32*3+:32] = {9'd0, dut.\g_ring[3].one .released};
  assign probe_head[64*3+:64] = dut.\g_ring[3].one .head;
  assign probe_done[4] = dut.\g_ring[4].one .item_done;
  assign probe_released[32*4+:32] = {9'd0, dut.\g_ring[4].one .released};
  assign probe_head[64*4+:64] = dut.\g_ring[4].one .head;
  assign probe_done[5] = dut.\g_ring[5].one .item_done;
  assign probe_released[32*5+:32] = {9'd0, dut.\g_ring[5].one .released};
  assign probe_head[64*5+:64] = dut.\g_ring[5].one .head;
  assign probe_done[6] = dut.\g_ring[6].one .item_done;
  assign probe_released[32*6+:32] = {9'd0, dut.\g_ring[6].one .released};
  assign probe_head[64*6+:64] = dut.\g_ring[6].one .head;
  assign probe_done[7] = dut.\g_ring[7].one .item_done;
  assign probe_released[32*7+:32] = {9'd0, dut.\g_ring[7].one .released};
  assign probe_head[64*7+:64] = dut.\g_ring[7].one .head;
`else
  for (genvar ring = 0; ring < 8; ring++) begin : g_probe
    assign probe_done[ring] = dut.g_ring[ring].one.item_done;
    assign probe_released[32*ring+:32] = {9'd0, dut.g_ring[ring].one.released};
    assign probe_head[64*ring+:64] = dut.g_ring[ring].one.head;
  end
`endif
endmodule
