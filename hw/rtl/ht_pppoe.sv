// SPDX-License-Identifier: Apache-2.0
// Over a PPPoE session header and the PPP protocol behind it. hw/model/src/link.hpp, pppoe and ppp.
module ht_pppoe (
    input logic clock,
    input ht_types::walk_t walk,
    output ht_types::walk_t stepped
);
  // A protocol number below 256 may come as one byte: then its lowest bit is set, which no first of two bytes has.
  logic hidden, one_byte;
  logic [15:0] protocol;
  assign hidden = walk.captured != {11'b0, walk.visible};
  assign one_byte = walk.rest[48];
  assign protocol = one_byte ? {8'b0, walk.rest[55:48]} : ht_types::network16(walk.rest[63:48]);

  logic [7:0] taken;
  assign taken = one_byte ? 8'd7 : 8'd8;

  always_ff @(posedge clock) begin
    stepped <= walk;
    if (walk.state == ht_types::WALK_PPPOE) begin
      stepped.tunnelled <= 1'b1;
      if (walk.visible < taken || walk.visible < 8'd7) begin
        stepped.state <= ht_types::WALK_OTHER;
        stepped.reason <= ht_types::ends_with(hidden, fs_abi::OTHER_REASON_SHORT_LINK);
        stepped.number <= walk.visible < 8'd6 ? ht_types::TYPE_PPPOE_SESSION : 16'd0;
      end else begin
        stepped.number <= protocol;
        stepped.visible <= walk.visible - taken;
        stepped.captured <= walk.captured - {11'b0, taken};
        stepped.rest <= one_byte ? {56'b0, walk.rest[ht_types::REST_BITS-1:56]} : {64'b0, walk.rest[ht_types::REST_BITS-1:64]};
        case (protocol)
          ht_types::PPP_IPV4: stepped.state <= ht_types::WALK_IPV4;
          ht_types::PPP_IPV6: stepped.state <= ht_types::WALK_IPV6;
          ht_types::PPP_MPLS, ht_types::PPP_MPLS_MULTICAST: stepped.state <= ht_types::WALK_MPLS;
          default: begin
            stepped.state <= ht_types::WALK_OTHER;
            stepped.reason <= fs_abi::OTHER_REASON_NOT_IP;
          end
        endcase
      end
    end
  end
endmodule
