// SPDX-License-Identifier: Apache-2.0
// Layer 3: what an IPv4 or IPv6 header says, and where layer 4 lies behind it and behind IPv6 extension headers. A tunnel inside is
// never opened. hw/model/src/network.hpp. A packet each cycle.
module ht_network (
    input logic clock,
    input logic reset,
    input ht_types::walk_t walk,
    output ht_types::network_t network,
    output logic [8*ht_types::SEGMENT_BYTES-1:0] segment // from where layer 4 begins
);
  // What can lie behind an IPv6 header; of what is behind an IPv4 header only the segment is of use.
  localparam int FOLLOWING_BITS = ht_types::REST_BITS - 320;

  // ---- First cycle: the fields, and which bytes are the packet's. ----
  logic [ht_types::REST_BITS-1:0] rest;
  logic [7:0] header_bytes;
  logic [16:0] said_bytes; // header and all that follows, by the header
  logic says_bytes;
  logic [7:0] rest_visible;
  logic [ht_types::LENGTH_BITS-1:0] rest_captured;
  ht_types::network_t header;

  logic hidden, is_ipv4, is_ipv6;
  logic [3:0] version, header_words;
  logic [15:0] total_length, payload_length;
  assign hidden = walk.captured != {11'b0, walk.visible};
  assign is_ipv4 = walk.state == ht_types::WALK_IPV4;
  assign is_ipv6 = walk.state == ht_types::WALK_IPV6;
  assign version = walk.rest[7:4];
  assign header_words = walk.rest[3:0];
  assign total_length = ht_types::network16(walk.rest[31:16]);
  assign payload_length = ht_types::network16(walk.rest[47:32]);

  always_ff @(posedge clock) begin
    rest <= walk.rest;
    rest_visible <= walk.visible;
    rest_captured <= walk.captured;
    header <= '0;
    header.valid <= walk.valid && !reset;
    header.is_ipv6 <= is_ipv6;
    header.encapsulated <= walk.tunnelled || walk.vlan_tags > 2'd1;
    header.number <= walk.number;
    if (is_ipv4) begin
      header_bytes <= {2'b0, header_words, 2'b0};
      says_bytes <= total_length >= {10'b0, header_words, 2'b0};
      said_bytes <= {1'b0, total_length};
      header.source_address <= {walk.rest[127:96], 16'hFFFF, 80'b0};
      header.destination_address <= {walk.rest[159:128], 16'hFFFF, 80'b0};
      header.protocol <= walk.rest[79:72];
      header.type_of_service <= walk.rest[15:8];
      header.time_to_live <= walk.rest[71:64];
      header.later_fragment <= {walk.rest[52:48], walk.rest[63:56]} != 13'd0;
      header.ended <= 1'b1;
      header.is_ip <= walk.visible >= 8'd20 && version == 4'd4 && header_words >= 4'd5;
      header.reason <= walk.visible < 8'd20 ? ht_types::ends_with(hidden, fs_abi::OTHER_REASON_SHORT_IP) : fs_abi::OTHER_REASON_BAD_IP;
    end else begin
      header_bytes <= 8'd40;
      says_bytes <= payload_length != 16'd0;
      said_bytes <= {1'b0, payload_length} + 17'd40;
      header.source_address <= walk.rest[191:64];
      header.destination_address <= walk.rest[319:192];
      header.protocol <= walk.rest[55:48];
      header.type_of_service <= {walk.rest[3:0], walk.rest[15:12]};
      header.time_to_live <= walk.rest[63:56];
      header.is_ip <= is_ipv6 && walk.visible >= 8'd40 && version == 4'd6;
      header.reason <= !is_ipv6 ? walk.reason
                     : walk.visible < 8'd40 ? ht_types::ends_with(hidden, fs_abi::OTHER_REASON_SHORT_IP)
                                            : fs_abi::OTHER_REASON_BAD_IP;
    end
  end

  // ---- Second cycle: the ends of layer 4, from the IP header on. ----
  ht_types::network_t bounded;
  logic [7:0] bounded_header_bytes;
  logic [ht_types::LENGTH_BITS-1:0] visible_end, captured_end, length_end;
  logic [FOLLOWING_BITS-1:0] following;

  logic [ht_types::LENGTH_BITS-1:0] said;
  assign said = says_bytes ? {2'b0, said_bytes} : ht_types::LONGEST;

  always_ff @(posedge clock) begin
    bounded <= header;
    bounded.valid <= header.valid && !reset;
    bounded_header_bytes <= header_bytes;
    visible_end <= said < {11'b0, rest_visible} ? said : {11'b0, rest_visible};
    captured_end <= said < rest_captured ? said : rest_captured;
    length_end <= says_bytes ? said : rest_captured;
    following <= rest[ht_types::REST_BITS-1:320];
    if (!header.is_ipv6) begin
      following[8*ht_types::SEGMENT_BYTES-1:0] <= rest[{5'b0, header_bytes[5:2]}*32+:8*ht_types::SEGMENT_BYTES];
    end
  end

  // ---- Third cycle: from layer 4 on. ----
  ht_types::network_t entered;
  logic [FOLLOWING_BITS-1:0] entered_following;
  always_ff @(posedge clock) begin
    entered <= bounded;
    entered.valid <= bounded.valid && !reset;
    entered.visible <= $signed({2'b0, visible_end}) - $signed({13'b0, bounded_header_bytes});
    entered.captured <= $signed({2'b0, captured_end}) - $signed({13'b0, bounded_header_bytes});
    entered.length <= length_end > {11'b0, bounded_header_bytes} ? length_end - {11'b0, bounded_header_bytes} : 19'd0;
    entered_following <= following;
  end

  ht_types::network_t step, last;
  logic [FOLLOWING_BITS-1:0] step_following, last_following;
  ht_extension_step #(.FOLLOWING_BITS(FOLLOWING_BITS)) extension_step_1 (
      .clock(clock), .reset(reset), .network(entered), .following(entered_following), .stepped(step), .stepped_following(step_following));
  ht_extension_step #(.FOLLOWING_BITS(FOLLOWING_BITS)) extension_step_2 (
      .clock(clock), .reset(reset), .network(step), .following(step_following), .stepped(last), .stepped_following(last_following));

  // One more extension header would be too deep, unless too little of it is there to be one.
  logic is_one_more;
  assign is_one_more = !last.ended && ht_types::is_extension_header(last.protocol);
  always_ff @(posedge clock) begin
    network <= last;
    network.valid <= last.valid && !reset;
    network.ended <= 1'b1;
    if (is_one_more) begin
      if (last.visible < 21'sd8) network.chain_cut <= 1'b1;
      if (last.visible >= 21'sd8 || last.visible < last.captured) begin
        network.is_ip <= 1'b0;
        network.reason <= last.is_ip ? fs_abi::OTHER_REASON_TOO_DEEP : last.reason;
      end
    end
    segment <= last_following[8*ht_types::SEGMENT_BYTES-1:0];
  end
endmodule
