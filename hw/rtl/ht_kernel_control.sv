// SPDX-License-Identifier: Apache-2.0
// The two registers that all kernels have: control, as Vitis asks for it (ap_ctrl_hs), and stop.
module ht_kernel_control (
    input logic clock,
    input logic reset,

    input logic write,
    input logic [9:0] write_word,
    input logic [31:0] write_data,
    input logic read,
    input logic [9:0] read_word,
    output logic [31:0] control,

    output logic start, // for one cycle
    output logic stop, // until the kernel is idle
    input logic idle,
    input logic done // for one cycle
);
  localparam logic [9:0] CONTROL = fs_abi::CARD_RING_REGISTERS_CONTROL_OFFSET[11:2];
  localparam logic [9:0] STOP = fs_abi::CARD_RING_REGISTERS_STOP_OFFSET[11:2];

  logic is_done;
  always_ff @(posedge clock) begin
    start <= write && idle && write_word == CONTROL && write_data[fs_abi::CARD_RING_REGISTERS_START_BIT] && !reset;
    stop <= (stop || (write && write_word == STOP && write_data[0])) && !idle && !reset;
    is_done <= (done || (is_done && !(read && read_word == CONTROL))) && !start && !reset;
  end

  always_comb begin
    control = '0;
    control[fs_abi::CARD_RING_REGISTERS_START_BIT] = !idle;
    control[fs_abi::CARD_RING_REGISTERS_DONE_BIT] = is_done;
    control[fs_abi::CARD_RING_REGISTERS_IDLE_BIT] = idle;
    control[fs_abi::CARD_RING_REGISTERS_READY_BIT] = is_done;
  end
endmodule
