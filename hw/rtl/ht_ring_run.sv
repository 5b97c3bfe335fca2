// SPDX-License-Identifier: Apache-2.0
// From start to done. A start makes everything as after a reset. After a stop, records that are between the taps and this kernel are
// still accepted. Then the kernel lets nothing more in, lets out what is inside, tells every ring that this was all, and waits until
// the memory has answered.
module ht_ring_run (
    input logic clock,
    input logic reset,

    input logic start,
    input logic stop,
    output logic idle,
    output logic done, // for one cycle

    output logic clear,
    output logic open, // to the ports' records
    input logic [1:0] record_valid, // at the ports
    input logic [1:0] record_taken,
    input logic [1:0] input_empty,
    input logic merge_idle,
    output logic send_last,
    input logic last_sent,
    input logic [ht_ring_types::RINGS-1:0] finished
);
  localparam logic [2:0] IDLE = 3'd0;
  localparam logic [2:0] CLEAR = 3'd1;
  localparam logic [2:0] RUN = 3'd2;
  localparam logic [2:0] CLOSE = 3'd3;
  localparam logic [2:0] LAST = 3'd4;
  localparam logic [2:0] ANSWERS = 3'd5;
  localparam logic [2:0] DRAIN = 3'd6;
  logic [2:0] state;

  // DRAIN accepts the records in the FIFOs that v++ puts between the taps and this kernel (64 for each port: vitis/u280.cfg). It ends
  // when no port has had a record for some cycles. A tap that is still running may never pause, so DRAIN also ends when more records
  // came than the FIFOs hold.
  localparam logic [6:0] QUIET_CYCLES = 7'd64;
  localparam logic [9:0] MAX_DRAINED_RECORDS = 10'd512;
  logic [6:0] quiet_cycles;
  logic [9:0] drained_records;
  logic [1:0] was_valid, was_taken;
  logic drained;
  always_ff @(posedge clock) begin
    was_valid <= record_valid;
    was_taken <= record_taken;
    quiet_cycles <= state != DRAIN || was_valid != 2'b00 ? 7'd0 : quiet_cycles + 7'd1;
    drained_records <= state != DRAIN ? 10'd0 : drained_records + {9'd0, was_taken[0]} + {9'd0, was_taken[1]};
    drained <= state == DRAIN && (quiet_cycles == QUIET_CYCLES || drained_records >= MAX_DRAINED_RECORDS);
  end

  // CLEAR takes so long that registers on its way and on the arguments' way have passed it on; CLOSE that a record which came in the
  // last open cycle is seen; ANSWERS that rings have forgotten that they finished before.
  logic [3:0] wait_cycles;
  logic waited;
  assign waited = wait_cycles == 4'd0;

  assign idle = state == IDLE;
  assign send_last = state == LAST;

  always_ff @(posedge clock) begin
    clear <= reset || state == CLEAR;
    open <= state == RUN || state == DRAIN;
    done <= 1'b0;
    if (!waited) wait_cycles <= wait_cycles - 4'd1;
    case (state)
      IDLE: if (start) begin
        state <= CLEAR;
        wait_cycles <= 4'd7;
      end
      CLEAR: if (waited) state <= RUN;
      RUN: if (stop) state <= DRAIN;
      DRAIN: if (drained) begin
        state <= CLOSE;
        wait_cycles <= 4'd7;
      end
      CLOSE: if (waited && input_empty == 2'b11 && merge_idle) state <= LAST;
      LAST: if (last_sent) state <= ANSWERS;
      default: if (finished == '1) begin
        state <= IDLE;
        done <= 1'b1;
      end
    endcase
    if (reset) begin
      state <= IDLE;
      wait_cycles <= 4'd0;
    end
  end
endmodule
