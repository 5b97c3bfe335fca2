// SPDX-License-Identifier: Apache-2.0
// Over one MPLS label. hw/model/src/link.hpp, mpls.
module ht_mpls_step (
    input logic clock,
    input ht_types::walk_t walk,
    output ht_types::walk_t stepped
);
  logic hidden, bottom;
  assign hidden = walk.captured != {11'b0, walk.visible};
  assign bottom = walk.rest[16];

  always_ff @(posedge clock) begin
    stepped <= walk;
    if (walk.state == ht_types::WALK_MPLS) begin
      stepped.tunnelled <= 1'b1;
      if (walk.visible < 8'd4) begin
        stepped.state <= ht_types::WALK_OTHER;
        stepped.reason <= ht_types::ends_with(hidden, fs_abi::OTHER_REASON_SHORT_LINK);
      end else begin
        if (bottom) stepped.state <= ht_types::WALK_NIBBLE;
        stepped.visible <= walk.visible - 8'd4;
        stepped.captured <= walk.captured - 19'd4;
        stepped.rest <= {32'b0, walk.rest[ht_types::REST_BITS-1:32]};
      end
    end
  end
endmodule
