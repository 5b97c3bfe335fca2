// SPDX-License-Identifier: Apache-2.0
// Two ht_tap and one ht_ring joined as vitis/u280.cfg joins them, but for the FIFOs that it puts between: frames of both ports in, what
// goes to the eight memories out. One register bus for the three kernels.
module joined_bench (
    input logic clock,
    input logic reset_n,

    input logic [1:0] kernel, // whose registers: those of a port's tap, or 2 for the rings
    input logic [11:0] control_awaddr,
    input logic control_awvalid,
    output logic control_awready,
    input logic [31:0] control_wdata,
    input logic [3:0] control_wstrb,
    input logic control_wvalid,
    output logic control_wready,
    output logic control_bvalid,
    input logic control_bready,
    input logic [11:0] control_araddr,
    input logic control_arvalid,
    output logic control_arready,
    output logic [31:0] control_rdata,
    output logic control_rvalid,
    input logic control_rready,

    input logic [1023:0] frames_tdata, // port 1 above port 0
    input logic [127:0] frames_tkeep,
    input logic [1:0] frames_tlast,
    input logic [1:0] frames_tvalid,
    output logic [1:0] frames_tready,
    output logic [1:0] probe_record_waits,

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

    output logic [8*64-1:0] probe_head
);
  logic [2:0] selected, awready_of, wready_of, bvalid_of, arready_of, rvalid_of;
  logic [31:0] rdata_of[0:2];
  assign selected = 3'b001 << kernel;
  assign control_awready = |(awready_of & selected);
  assign control_wready = |(wready_of & selected);
  assign control_bvalid = |(bvalid_of & selected);
  assign control_arready = |(arready_of & selected);
  assign control_rvalid = |(rvalid_of & selected);
  assign control_rdata = rdata_of[kernel];

  logic [511:0] records_tdata[0:1];
  logic [32:0] records_tuser[0:1];
  logic [2:0] records_tdest[0:1];
  logic [1:0] records_tvalid, records_tready;
  assign probe_record_waits = records_tvalid & ~records_tready;

  for (genvar port = 0; port < 2; port++) begin : g_port
    tap_bench tap (
        .clock(clock), .reset_n(reset_n),
        .control_awaddr(control_awaddr), .control_awvalid(control_awvalid && selected[port]), .control_awready(awready_of[port]),
        .control_wdata(control_wdata), .control_wstrb(control_wstrb), .control_wvalid(control_wvalid && selected[port]),
        .control_wready(wready_of[port]), .control_bresp(), .control_bvalid(bvalid_of[port]), .control_bready(control_bready),
        .control_araddr(control_araddr), .control_arvalid(control_arvalid && selected[port]), .control_arready(arready_of[port]),
        .control_rdata(rdata_of[port]), .control_rresp(), .control_rvalid(rvalid_of[port]), .control_rready(control_rready),
        .frames_tdata(frames_tdata[512*port+:512]), .frames_tkeep(frames_tkeep[64*port+:64]), .frames_tlast(frames_tlast[port]),
        .frames_tuser(1'b0), .frames_tvalid(frames_tvalid[port]), .frames_tready(frames_tready[port]),
        .records_tdata(records_tdata[port]), .records_tuser(records_tuser[port]), .records_tdest(records_tdest[port]),
        .records_tlast(), .records_tvalid(records_tvalid[port]), .records_tready(records_tready[port]));
  end

  ring_bench rings (
      .clock(clock), .reset_n(reset_n),
      .control_awaddr(control_awaddr), .control_awvalid(control_awvalid && selected[2]), .control_awready(awready_of[2]),
      .control_wdata(control_wdata), .control_wstrb(control_wstrb), .control_wvalid(control_wvalid && selected[2]),
      .control_wready(wready_of[2]), .control_bresp(), .control_bvalid(bvalid_of[2]), .control_bready(control_bready),
      .control_araddr(control_araddr), .control_arvalid(control_arvalid && selected[2]), .control_arready(arready_of[2]),
      .control_rdata(rdata_of[2]), .control_rresp(), .control_rvalid(rvalid_of[2]), .control_rready(control_rready),
      .tdata({records_tdata[1], records_tdata[0]}), .tuser_0(records_tuser[0]), .tuser_1(records_tuser[1]),
      .tdest({records_tdest[1], records_tdest[0]}), .tvalid(records_tvalid), .tready(records_tready),
      .awid(awid), .awaddr(awaddr), .awlen(awlen), .awsize(awsize), .awburst(awburst), .awvalid(awvalid), .awready(awready),
      .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
      .bid(bid), .bresp(bresp), .bvalid(bvalid), .bready(),
      .probe_open(), .probe_taken(), .probe_last(), .probe_done(), .probe_released(), .probe_head(probe_head));
endmodule
