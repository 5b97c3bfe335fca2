// SPDX-License-Identifier: Apache-2.0
// ht_pcapsrc as the bench sees it, with shorter names.
module pcapsrc_bench (
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

    output logic [63:0] memory_araddr,
    output logic [7:0] memory_arlen,
    output logic [2:0] memory_arsize,
    output logic [1:0] memory_arburst,
    output logic memory_arvalid,
    input logic memory_arready,
    input logic [511:0] memory_rdata,
    input logic [1:0] memory_rresp,
    input logic memory_rlast,
    input logic memory_rvalid,
    output logic memory_rready,

    output logic [511:0] frames_tdata,
    output logic [63:0] frames_tkeep,
    output logic frames_tlast,
    output logic frames_tuser,
    output logic frames_tvalid,
    input logic frames_tready
);
  logic [3:0] arcache;
  logic [2:0] arprot;
`ifdef NETLIST
  ht_pcapsrc source (
`else
  ht_pcapsrc #(.BUILD(32'd539365665)) source (
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
      .m_axi_araddr(memory_araddr),
      .m_axi_arlen(memory_arlen),
      .m_axi_arsize(memory_arsize),
      .m_axi_arburst(memory_arburst),
      .m_axi_arcache(arcache),
      .m_axi_arprot(arprot),
      .m_axi_arvalid(memory_arvalid),
      .m_axi_arready(memory_arready),
      .m_axi_rdata(memory_rdata),
      .m_axi_rresp(memory_rresp),
      .m_axi_rlast(memory_rlast),
      .m_axi_rvalid(memory_rvalid),
      .m_axi_rready(memory_rready),
      .frames_tdata(frames_tdata),
      .frames_tkeep(frames_tkeep),
      .frames_tlast(frames_tlast),
      .frames_tuser(frames_tuser),
      .frames_tvalid(frames_tvalid),
      .frames_tready(frames_tready)
  );
endmodule
