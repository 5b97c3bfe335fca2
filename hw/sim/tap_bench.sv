// SPDX-License-Identifier: Apache-2.0
// ht_tap as the bench sees it, with shorter names.
module tap_bench (
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

    input logic [511:0] frames_tdata,
    input logic [63:0] frames_tkeep,
    input logic frames_tlast,
    input logic frames_tuser,
    input logic frames_tvalid,
    output logic frames_tready,

    output logic [511:0] records_tdata,
    output logic [32:0] records_tuser,
    output logic [2:0] records_tdest,
    output logic records_tlast,
    output logic records_tvalid,
    input logic records_tready
);
`ifdef NETLIST
  ht_tap tap (
`else
  ht_tap #(.BUILD(32'd539365665)) tap (
`endif
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
      .frames_tdata(frames_tdata),
      .frames_tkeep(frames_tkeep),
      .frames_tlast(frames_tlast),
      .frames_tuser(frames_tuser),
      .frames_tvalid(frames_tvalid),
      .frames_tready(frames_tready),
      .records_tdata(records_tdata),
      .records_tuser(records_tuser),
      .records_tdest(records_tdest),
      .records_tlast(records_tlast),
      .records_tvalid(records_tvalid),
      .records_tready(records_tready)
  );
endmodule
