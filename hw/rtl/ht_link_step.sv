// SPDX-License-Identifier: Apache-2.0
// One step through layer 2 while an EtherType says what follows: over a VLAN tag or an LLC/SNAP header, or to what is none of
// both. hw/model/src/link.hpp, by_ethertype.
module ht_link_step (
    input logic clock,
    input ht_types::walk_t walk,
    output ht_types::walk_t stepped
);
  logic hidden, vlan, is_length, snap, organization_0;
  logic [15:0] vlan_type, snap_type;
  assign hidden = walk.captured != {11'b0, walk.visible};
  assign vlan = ht_types::is_vlan(walk.number);
  assign is_length = walk.number <= ht_types::TYPE_LARGEST_LENGTH;
  assign snap = walk.rest[23:0] == 24'h03AAAA;
  assign organization_0 = walk.rest[47:24] == 24'h0;
  assign vlan_type = ht_types::network16(walk.rest[31:16]);
  assign snap_type = ht_types::network16(walk.rest[63:48]);

  logic takes_vlan, takes_snap;
  assign takes_vlan = walk.state == ht_types::WALK_ETHERTYPE && vlan && walk.vlan_tags != ht_types::MAX_VLAN_TAGS && walk.visible >= 8'd4;
  assign takes_snap = walk.state == ht_types::WALK_ETHERTYPE && is_length && snap && walk.visible >= 8'd8;

  logic [2:0] state;
  logic [3:0] reason;
  logic [15:0] number;
  always_comb begin
    state = walk.state;
    reason = walk.reason;
    number = walk.number;
    if (walk.state == ht_types::WALK_ETHERTYPE) begin
      if (vlan) begin
        if (takes_vlan) begin
          number = vlan_type;
        end else begin
          state = ht_types::WALK_OTHER;
          reason = walk.vlan_tags == ht_types::MAX_VLAN_TAGS ? fs_abi::OTHER_REASON_TOO_DEEP
                                                             : ht_types::ends_with(hidden, fs_abi::OTHER_REASON_SHORT_LINK);
        end
      end else if (is_length) begin
        if (takes_snap) begin
          number = snap_type;
          if (!organization_0 || snap_type <= ht_types::TYPE_LARGEST_LENGTH) begin
            state = ht_types::WALK_OTHER;
            reason = fs_abi::OTHER_REASON_NOT_IP;
          end
        end else begin
          state = ht_types::WALK_OTHER;
          if (walk.visible < 8'd3 || snap) begin
            reason = ht_types::ends_with(hidden, fs_abi::OTHER_REASON_SHORT_LINK);
            number = 16'd0;
          end else begin
            reason = fs_abi::OTHER_REASON_NOT_IP;
            number = ht_types::network16(walk.rest[15:0]);
          end
        end
      end else begin
        case (walk.number)
          ht_types::TYPE_IPV4: state = ht_types::WALK_IPV4;
          ht_types::TYPE_IPV6: state = ht_types::WALK_IPV6;
          ht_types::TYPE_MPLS, ht_types::TYPE_MPLS_MULTICAST: state = ht_types::WALK_MPLS;
          ht_types::TYPE_PPPOE_SESSION: state = ht_types::WALK_PPPOE;
          default: begin
            state = ht_types::WALK_OTHER;
            reason = fs_abi::OTHER_REASON_NOT_IP;
          end
        endcase
      end
    end
  end

  logic [7:0] taken;
  assign taken = takes_snap ? 8'd8 : takes_vlan ? 8'd4 : 8'd0;

  always_ff @(posedge clock) begin
    stepped <= walk;
    stepped.state <= state;
    stepped.reason <= reason;
    stepped.number <= number;
    stepped.vlan_tags <= walk.vlan_tags + {1'b0, takes_vlan};
    stepped.visible <= walk.visible - taken;
    stepped.captured <= walk.captured - {11'b0, taken};
    if (takes_snap) stepped.rest <= {64'b0, walk.rest[ht_types::REST_BITS-1:64]};
    else if (takes_vlan) stepped.rest <= {32'b0, walk.rest[ht_types::REST_BITS-1:32]};
  end
endmodule
