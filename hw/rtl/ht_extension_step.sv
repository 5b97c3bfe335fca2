// SPDX-License-Identifier: Apache-2.0
// Over one IPv6 extension header, if there is one. hw/model/src/network.hpp, walk_extension_headers. Three cycles.
module ht_extension_step #(
    parameter int FOLLOWING_BITS = 592
) (
    input logic clock,
    input logic reset,
    input ht_types::network_t network,
    input logic [FOLLOWING_BITS-1:0] following,
    output ht_types::network_t stepped,
    output logic [FOLLOWING_BITS-1:0] stepped_following
);
  // ---- First cycle: whether it is one, and how long. ----
  ht_types::network_t found;
  logic [FOLLOWING_BITS-1:0] found_following;
  logic takes;
  logic [11:0] taken_bytes; // the largest has 2,048
  logic later_fragment;

  logic is_one;
  logic [7:0] length;
  assign is_one = !network.ended && ht_types::is_extension_header(network.protocol);
  assign length = following[15:8];

  always_ff @(posedge clock) begin
    found <= network;
    found.valid <= network.valid && !reset;
    found_following <= following;
    takes <= is_one && network.visible >= 21'sd8;
    later_fragment <= network.protocol == ht_types::FRAGMENT && {following[23:16], following[31:27]} != 13'd0;
    case (network.protocol)
      ht_types::FRAGMENT: taken_bytes <= 12'd8; // its second byte is reserved
      ht_types::AUTHENTICATION: taken_bytes <= ({4'b0, length} + 12'd2) << 2;
      default: taken_bytes <= ({4'b0, length} + 12'd1) << 3;
    endcase
    if (!is_one) begin
      found.ended <= 1'b1;
    end else if (network.visible < 21'sd8) begin
      // Behind the window the walk might go on, and another protocol be found: rather no tuple than a wrong one.
      found.ended <= 1'b1;
      found.chain_cut <= 1'b1;
      if (network.visible < network.captured) begin
        found.is_ip <= 1'b0;
        found.reason <= network.is_ip ? fs_abi::OTHER_REASON_TOO_DEEP : network.reason;
      end
    end
  end

  // ---- Second cycle: what the header says; over the words that are not a multiple of four. ----
  ht_types::network_t read;
  logic [FOLLOWING_BITS-1:0] read_following;
  logic [9:0] left_words_4; // by four words each
  logic [ht_types::LENGTH_BITS-1:0] taken;
  assign taken = takes ? {7'b0, taken_bytes} : 19'd0;

  always_ff @(posedge clock) begin
    read <= found;
    read.valid <= found.valid && !reset;
    if (takes) begin
      read.protocol <= found_following[7:0];
      if (later_fragment) begin
        read.later_fragment <= 1'b1; // what follows is the middle of something, not a header
        read.ended <= 1'b1;
      end
    end
    read.visible <= found.visible - $signed({2'b0, taken});
    read.captured <= found.captured - $signed({2'b0, taken});
    read.length <= found.length > taken ? found.length - taken : 19'd0;
    left_words_4 <= {2'b0, taken[11:4]};
    case (taken[3:2])
      2'd0: read_following <= found_following;
      2'd1: read_following <= {32'b0, found_following[FOLLOWING_BITS-1:32]};
      2'd2: read_following <= {64'b0, found_following[FOLLOWING_BITS-1:64]};
      default: read_following <= {96'b0, found_following[FOLLOWING_BITS-1:96]};
    endcase
  end

  // ---- Third cycle: over the rest. Beyond the window there is nothing to be read. ----
  always_ff @(posedge clock) begin
    stepped <= read;
    stepped.valid <= read.valid && !reset;
    case (left_words_4)
      10'd0: stepped_following <= read_following;
      10'd1: stepped_following <= {128'b0, read_following[FOLLOWING_BITS-1:128]};
      10'd2: stepped_following <= {256'b0, read_following[FOLLOWING_BITS-1:256]};
      10'd3: stepped_following <= {384'b0, read_following[FOLLOWING_BITS-1:384]};
      10'd4: stepped_following <= {512'b0, read_following[FOLLOWING_BITS-1:512]};
      default: stepped_following <= '0;
    endcase
  end
endmodule
