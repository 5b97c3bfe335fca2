// SPDX-License-Identifier: Apache-2.0
// Flink's key group of a flow hash: hw/model/src/key_group.hpp. A hash each cycle, twelve cycles each; each multiplication has two, so
// that it fits into DSP slices with their registers.
module ht_key_group (
    input logic clock,
    input logic [31:0] flow_hash,
    input logic [14:0] mask, // max_parallelism - 1; max_parallelism is a power of two
    output logic [14:0] key_group
);
  logic [31:0] product_1, rotated_1, product_2, rotated_2, added, folded_1, product_3, folded_2, product_4;
  logic [15:0] folded_3; // sign, and the bits that a key group may have
  logic [31:0] early_1, early_2, early_3, early_4;

  always_ff @(posedge clock) begin
    early_1 <= flow_hash * fs_abi::RING_FILE_HEADER_MURMUR_FIRST_FACTOR;
    product_1 <= early_1;
    early_2 <= rotated_1 * fs_abi::RING_FILE_HEADER_MURMUR_SECOND_FACTOR;
    product_2 <= early_2;
    added <= (rotated_2 << 2) + rotated_2 + fs_abi::RING_FILE_HEADER_MURMUR_ADDEND;
    folded_1 <= added ^ 32'd4 ^ {16'b0, added[31:16]};
    early_3 <= folded_1 * fs_abi::RING_FILE_HEADER_MURMUR_THIRD_FACTOR;
    product_3 <= early_3;
    folded_2 <= product_3 ^ {13'b0, product_3[31:13]};
    early_4 <= folded_2 * fs_abi::RING_FILE_HEADER_MURMUR_FOURTH_FACTOR;
    product_4 <= early_4;
    folded_3 <= {product_4[31], product_4[14:0] ^ product_4[30:16]};
    // The number without a positive counterpart has no low bits, so that its key group is 0, as in Flink.
    key_group <= (folded_3[15] ? 15'(~folded_3[14:0] + 15'd1) : folded_3[14:0]) & mask;
  end
  assign rotated_1 = {product_1[16:0], product_1[31:17]};
  assign rotated_2 = {product_2[18:0], product_2[31:19]};
endmodule
