// SPDX-License-Identifier: Apache-2.0
// Layer 4, and the packet's record but for time, lengths of the frame, flow hash and class. A field that is cut off is 0.
// hw/model/src/transport.hpp. A packet each cycle, two cycles each.
module ht_transport (
    input logic clock,
    input logic reset,
    input ht_types::network_t network,
    input logic [8*ht_types::SEGMENT_BYTES-1:0] segment,
    output logic record_valid,
    output fs_abi::packet_record_t record
);
  // ---- First cycle: what may be read, and how long the header is. ----
  ht_types::network_t checked;
  logic [8*ht_types::SEGMENT_BYTES-1:0] readable; // zeros from where it is cut
  logic reads_ports; // a record has both or none
  logic hides_ports; // they came in, and lie behind the window
  logic header_unreadable;
  logic [9:0] header_bytes;

  logic [4:0] readable_bytes;
  assign readable_bytes = network.visible <= 21'sd0 ? 5'd0 : network.visible >= 21'sd16 ? 5'd16 : network.visible[4:0];

  // The TCP and DCCP headers say how long they are; a byte that is cut off says 0, which is too short.
  logic [9:0] tcp_bytes, dccp_bytes;
  assign tcp_bytes = readable_bytes > 5'd12 ? {4'b0, segment[103:100], 2'b0} : 10'd0;
  assign dccp_bytes = readable_bytes > 5'd4 ? {segment[39:32], 2'b0} : 10'd0;

  always_ff @(posedge clock) begin
    checked <= network;
    checked.valid <= network.valid && !reset;
    // A number that is cut anywhere is 0 as a whole: the fields are looked at as such.
    readable <= '0;
    for (int i = 0; i < ht_types::SEGMENT_BYTES / 4; i++) begin
      if (readable_bytes >= 5'(4 * i + 4)) readable[32*i+:32] <= segment[32*i+:32];
    end
    if (readable_bytes >= 5'd14) readable[111:104] <= segment[111:104];
    reads_ports <= ht_types::has_ports(network.protocol) && readable_bytes >= 5'd4;
    hides_ports <= ht_types::has_ports(network.protocol) && !network.later_fragment && network.visible < 21'sd4 && network.captured >= 21'sd4;
    case (network.protocol)
      ht_types::TCP: begin
        header_bytes <= tcp_bytes;
        header_unreadable <= tcp_bytes < 10'd20;
      end
      ht_types::DCCP: begin
        header_bytes <= dccp_bytes;
        header_unreadable <= dccp_bytes < 10'd12;
      end
      ht_types::UDP, ht_types::UDP_LITE, ht_types::ICMP, ht_types::ICMP_V6: begin
        header_bytes <= 10'd8;
        header_unreadable <= readable_bytes < 5'd8;
      end
      ht_types::SCTP: begin
        header_bytes <= 10'd12;
        header_unreadable <= readable_bytes < 5'd12;
      end
      default: begin
        header_bytes <= 10'd0;
        header_unreadable <= 1'b0;
      end
    endcase
    if (network.later_fragment) begin
      header_bytes <= 10'd0;
      header_unreadable <= 1'b0;
    end
    if (network.chain_cut) header_unreadable <= 1'b1;
  end

  // ---- Second cycle: the record. ----
  logic is_tcp, has_segment;
  logic [3:0] reason;
  logic [ht_types::LENGTH_BITS-1:0] payload_bytes;
  assign is_tcp = checked.protocol == ht_types::TCP;
  assign has_segment = !checked.later_fragment && !checked.chain_cut;
  assign reason = checked.is_ip ? fs_abi::OTHER_REASON_TOO_DEEP : checked.reason;
  assign payload_bytes = checked.length - {9'b0, header_bytes};

  always_ff @(posedge clock) begin
    record_valid <= checked.valid && !reset;
    record <= '0;
    if (!checked.is_ip || hides_ports) begin
      record.kind <= fs_abi::RECORD_KIND_OTHER;
      record.source_port <= {12'b0, reason};
      record.destination_port <= checked.number;
    end else begin
      record.kind <= checked.is_ipv6 ? (checked.encapsulated ? fs_abi::RECORD_KIND_IPV6_ENCAPSULATED : fs_abi::RECORD_KIND_IPV6)
                                     : (checked.encapsulated ? fs_abi::RECORD_KIND_IPV4_ENCAPSULATED : fs_abi::RECORD_KIND_IPV4);
      record.source_address <= checked.source_address;
      record.destination_address <= checked.destination_address;
      record.protocol <= checked.protocol;
      record.type_of_service <= checked.type_of_service;
      record.time_to_live <= checked.time_to_live;
      record.later_fragment <= checked.later_fragment;
      if (has_segment) begin
        if (reads_ports) begin
          record.source_port <= ht_types::network16(readable[15:0]);
          record.destination_port <= ht_types::network16(readable[31:16]);
        end
        record.sequence_ <= ht_types::network32(is_tcp ? readable[63:32] : readable[31:0]);
        record.acknowledgement <= ht_types::network32(is_tcp ? readable[95:64] : readable[63:32]);
        if (is_tcp) begin
          record.tcp_flags <= readable[111:104];
          record.tcp_window <= ht_types::network16(readable[127:112]);
        end
      end
      if (header_unreadable || {9'b0, header_bytes} > checked.length) record.payload_length <= fs_abi::PACKET_RECORD_PAYLOAD_LENGTH_UNREADABLE;
      else if (payload_bytes >= {3'b0, fs_abi::PACKET_RECORD_PAYLOAD_LENGTH_SATURATED}) record.payload_length <= fs_abi::PACKET_RECORD_PAYLOAD_LENGTH_SATURATED;
      else record.payload_length <= payload_bytes[15:0];
    end
  end
endmodule
