// SPDX-License-Identifier: Apache-2.0
// What the stages of the parser hand on, and the numbers of the protocols. Byte i of a field of bytes is its bits 8 i to 8 i + 7.
package ht_types;
  // The card's profile of the parser: hw/model/src/frame.hpp. Of labels and extension headers there are as many as steps over them.
  localparam int WINDOW_BYTES = 128;
  localparam logic [1:0] MAX_VLAN_TAGS = 2'd2;

  localparam int LENGTH_BITS = 19;
  localparam logic [18:0] LONGEST = 19'h7FFFF;

  localparam int ETHERNET_BYTES = 14;
  localparam int REST_BITS = 8 * (WINDOW_BYTES - ETHERNET_BYTES);
  localparam int SEGMENT_BYTES = 16; // of layer 4, what a record has fields for

  // What the walk through layer 2 has come to. Those up to WALK_NIBBLE go on.
  localparam logic [2:0] WALK_ETHERTYPE = 3'd0; // number is an EtherType that is to be looked at
  localparam logic [2:0] WALK_PPPOE = 3'd1;
  localparam logic [2:0] WALK_MPLS = 3'd2;
  localparam logic [2:0] WALK_NIBBLE = 3'd3; // below the bottom label: the first four bits say what it is
  localparam logic [2:0] WALK_IPV4 = 3'd4;
  localparam logic [2:0] WALK_IPV6 = 3'd5;
  localparam logic [2:0] WALK_OTHER = 3'd6; // no IP header; reason says why

  typedef struct packed {
    logic valid;
    logic [2:0] state;
    logic [3:0] reason;
    logic [15:0] number; // EtherType or PPP protocol read last; 0 when none was
    logic [1:0] vlan_tags;
    logic tunnelled;
    logic [7:0] visible; // bytes of rest that came in
    logic [LENGTH_BITS-1:0] captured; // the same, were the window as long as the frame
    logic [REST_BITS-1:0] rest; // from where the walk stands
  } walk_t;

  // An IP header read, and the walk through what may stand between it and layer 4.
  typedef struct packed {
    logic valid;
    logic is_ip; // else reason says why not
    logic is_ipv6;
    logic encapsulated;
    logic [3:0] reason;
    logic [15:0] number;
    logic [127:0] source_address;
    logic [127:0] destination_address;
    logic [7:0] protocol;
    logic [7:0] type_of_service;
    logic [7:0] time_to_live;
    logic later_fragment;
    logic ended; // the walk has come to its end
    logic chain_cut; // its end is inside an extension header
    logic signed [20:0] visible; // bytes from here to the end of what may be read; none or less: nothing
    logic signed [20:0] captured; // the same, were the window as long as the frame
    logic [LENGTH_BITS-1:0] length; // of layer 4, as far as the IP header says it
  } network_t;

  localparam logic [15:0] TYPE_LARGEST_LENGTH = 16'd1500;
  localparam logic [15:0] TYPE_IPV4 = 16'h0800;
  localparam logic [15:0] TYPE_IPV6 = 16'h86DD;
  localparam logic [15:0] TYPE_MPLS = 16'h8847;
  localparam logic [15:0] TYPE_MPLS_MULTICAST = 16'h8848;
  localparam logic [15:0] TYPE_PPPOE_SESSION = 16'h8864;

  localparam logic [15:0] PPP_IPV4 = 16'h0021;
  localparam logic [15:0] PPP_IPV6 = 16'h0057;
  localparam logic [15:0] PPP_MPLS = 16'h0281;
  localparam logic [15:0] PPP_MPLS_MULTICAST = 16'h0283;

  localparam logic [7:0] HOP_BY_HOP = 8'd0;
  localparam logic [7:0] ICMP = 8'd1;
  localparam logic [7:0] TCP = 8'd6;
  localparam logic [7:0] UDP = 8'd17;
  localparam logic [7:0] DCCP = 8'd33;
  localparam logic [7:0] ROUTING = 8'd43;
  localparam logic [7:0] FRAGMENT = 8'd44;
  localparam logic [7:0] AUTHENTICATION = 8'd51;
  localparam logic [7:0] ICMP_V6 = 8'd58;
  localparam logic [7:0] DESTINATION_OPTIONS = 8'd60;
  localparam logic [7:0] SCTP = 8'd132;
  localparam logic [7:0] UDP_LITE = 8'd136;

  function automatic logic [15:0] network16(input logic [15:0] bytes);
    network16 = {bytes[7:0], bytes[15:8]};
  endfunction

  function automatic logic [31:0] network32(input logic [31:0] bytes);
    network32 = {bytes[7:0], bytes[15:8], bytes[23:16], bytes[31:24]};
  endfunction

  function automatic logic is_vlan(input logic [15:0] number);
    is_vlan = number == 16'h8100 || number == 16'h88A8 || number == 16'h9100 || number == 16'h9200 || number == 16'h9300;
  endfunction

  function automatic logic is_extension_header(input logic [7:0] protocol);
    is_extension_header = protocol == HOP_BY_HOP || protocol == ROUTING || protocol == FRAGMENT || protocol == AUTHENTICATION ||
                          protocol == DESTINATION_OPTIONS;
  endfunction

  function automatic logic has_ports(input logic [7:0] protocol);
    has_ports = protocol == TCP || protocol == UDP || protocol == SCTP || protocol == DCCP || protocol == UDP_LITE;
  endfunction

  // Data end too early: because the frame does, or only because the window does.
  function automatic logic [3:0] ends_with(input logic hidden, input logic [3:0] reason);
    ends_with = hidden ? fs_abi::OTHER_REASON_TOO_DEEP : reason;
  endfunction
endpackage
