// SPDX-License-Identifier: Apache-2.0
// Layer 2: from a frame's first byte to the first IP header, or the reason why there is none. A frame each cycle.
module ht_link (
    input logic clock,
    input logic reset,
    input logic frame_valid,
    input logic [1023:0] frame_bytes,
    input logic [ht_types::LENGTH_BITS-1:0] frame_length,
    output ht_types::walk_t walk // state IPV4, IPV6 or OTHER
);
  logic whole;
  assign whole = frame_length >= 19'd14;

  ht_types::walk_t entered;
  always_ff @(posedge clock) begin
    entered.valid <= frame_valid && !reset;
    entered.state <= whole ? ht_types::WALK_ETHERTYPE : ht_types::WALK_OTHER;
    entered.reason <= fs_abi::OTHER_REASON_SHORT_LINK;
    entered.number <= whole ? ht_types::network16(frame_bytes[111:96]) : 16'd0;
    entered.vlan_tags <= 2'd0;
    entered.tunnelled <= 1'b0;
    entered.visible <= frame_length > 19'd128 ? 8'd114 : frame_length[7:0] - 8'd14;
    entered.captured <= frame_length - 19'd14;
    entered.rest <= frame_bytes[1023:112];
  end

  // Two tags, and a SNAP header before, between and behind them; the sixth step finds a third tag.
  ht_types::walk_t step_1, step_2, step_3, step_4, step_5, step_6;
  ht_link_step link_step_1 (.clock(clock), .walk(entered), .stepped(step_1));
  ht_link_step link_step_2 (.clock(clock), .walk(step_1), .stepped(step_2));
  ht_link_step link_step_3 (.clock(clock), .walk(step_2), .stepped(step_3));
  ht_link_step link_step_4 (.clock(clock), .walk(step_3), .stepped(step_4));
  ht_link_step link_step_5 (.clock(clock), .walk(step_4), .stepped(step_5));
  ht_link_step link_step_6 (.clock(clock), .walk(step_5), .stepped(step_6));

  ht_types::walk_t label_0, label_1, label_2, last;
  ht_pppoe pppoe (.clock(clock), .walk(step_6), .stepped(label_0));
  ht_mpls_step mpls_step_1 (.clock(clock), .walk(label_0), .stepped(label_1));
  ht_mpls_step mpls_step_2 (.clock(clock), .walk(label_1), .stepped(label_2));
  ht_mpls_step mpls_step_3 (.clock(clock), .walk(label_2), .stepped(last));

  // What lies below the labels, or that there are too many.
  logic [3:0] nibble;
  assign nibble = last.rest[7:4];
  always_ff @(posedge clock) begin
    walk <= last;
    walk.valid <= last.valid && !reset;
    if (last.state == ht_types::WALK_MPLS) begin
      walk.state <= ht_types::WALK_OTHER;
      walk.reason <= fs_abi::OTHER_REASON_TOO_DEEP;
    end else if (last.state == ht_types::WALK_NIBBLE) begin
      if (last.visible == 8'd0) begin
        walk.state <= ht_types::WALK_OTHER;
        walk.reason <= ht_types::ends_with(last.captured != 19'd0, fs_abi::OTHER_REASON_SHORT_LINK);
      end else if (nibble == 4'd4) begin
        walk.state <= ht_types::WALK_IPV4;
      end else if (nibble == 4'd6) begin
        walk.state <= ht_types::WALK_IPV6;
      end else begin
        walk.state <= ht_types::WALK_OTHER;
        walk.reason <= fs_abi::OTHER_REASON_MPLS_NOT_IP;
      end
    end
  end
endmodule
