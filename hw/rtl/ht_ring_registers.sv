// SPDX-License-Identifier: Apache-2.0
// The registers of docs/formats/card-registers.md: those of the kernel here, those of a ring by way of the ring.
module ht_ring_registers #(
    parameter logic [31:0] BUILD = 32'd0
) (
    input logic clock,
    input logic reset,

    input logic write,
    input logic [9:0] write_word,
    input logic [31:0] write_data,
    input logic read,
    input logic [9:0] read_word,
    output logic [31:0] read_data, // two cycles later

    output logic start,
    output logic stop,
    input logic idle,
    input logic done,

    // Arguments; they change only while the kernel is idle.
    output logic [64*ht_ring_types::RINGS-1:0] base_addresses,
    output logic [ht_ring_types::COUNT_BITS-1:0] slots,
    output logic [ht_ring_types::RINGS-1:0] rings_in_use,
    output logic [31:0] flush_cycles,

    input logic misdirected_packet,
    input logic [1:0] discarded_packet,

    output logic [ht_ring_types::RINGS-1:0] write_credit,
    output logic [ht_ring_types::RINGS-1:0] read_ring,
    input logic [32*ht_ring_types::RINGS-1:0] ring_data
);
  localparam int RINGS = ht_ring_types::RINGS;
  localparam logic [9:0] CONTROL = fs_abi::CARD_RING_REGISTERS_CONTROL_OFFSET[11:2];
  localparam logic [9:0] BASES = fs_abi::CARD_RING_REGISTERS_BASE_ADDRESSES_OFFSET[11:2];
  localparam logic [9:0] SLOTS_LOG2 = fs_abi::CARD_RING_REGISTERS_SLOTS_LOG2_OFFSET[11:2];
  localparam logic [9:0] RING_COUNT = fs_abi::CARD_RING_REGISTERS_RING_COUNT_OFFSET[11:2];
  localparam logic [9:0] STOP = fs_abi::CARD_RING_REGISTERS_STOP_OFFSET[11:2];
  localparam logic [9:0] MAGIC = fs_abi::CARD_RING_REGISTERS_MAGIC_OFFSET[11:2];
  localparam logic [9:0] VERSION = fs_abi::CARD_RING_REGISTERS_VERSION_OFFSET[11:2];
  localparam logic [9:0] BUILD_NUMBER = fs_abi::CARD_RING_REGISTERS_BUILD_OFFSET[11:2];
  localparam logic [9:0] FLUSH = fs_abi::CARD_RING_REGISTERS_FLUSH_CYCLES_OFFSET[11:2];
  localparam logic [9:0] MISDIRECTED = fs_abi::CARD_RING_REGISTERS_MISDIRECTED_PACKETS_OFFSET[11:2];
  localparam logic [9:0] DISCARDED = fs_abi::CARD_RING_REGISTERS_DISCARDED_PACKETS_OFFSET[11:2];
  localparam logic [2:0] RINGS_PAGE = fs_abi::CARD_RING_REGISTERS_RINGS_OFFSET[11:9]; // eight rings of 64 bytes
  localparam logic [3:0] CREDIT = fs_abi::CARD_RING_STATE_CREDIT_OFFSET[5:2];

  localparam logic [31:0] MOST_RINGS = fs_abi::CARD_RING_REGISTERS_MOST_RINGS;
  localparam logic [31:0] LEAST_LOG2 = fs_abi::CARD_RING_REGISTERS_LEAST_SLOTS_LOG2;
  localparam logic [31:0] MOST_LOG2 = fs_abi::CARD_RING_REGISTERS_MOST_SLOTS_LOG2;
  localparam logic [31:0] DEFAULT_FLUSH_CYCLES = 32'd256; // 0.85 us

  logic [31:0] bases[0:2*RINGS-1];
  logic [4:0] slots_log2;
  logic [3:0] ring_count;
  logic [63:0] misdirected_packets, discarded_packets;

  logic [31:0] control;
  ht_kernel_control kernel_control (
      .clock(clock), .reset(reset), .write(write), .write_word(write_word), .write_data(write_data), .read(read), .read_word(read_word),
      .control(control), .start(start), .stop(stop), .idle(idle), .done(done));

  // base_addresses begins at word 4, so its 16 words lie across two of the address's 16s.
  logic [9:0] write_base, read_base;
  assign write_base = write_word - BASES;
  assign read_base = read_word - BASES;
  logic is_base_read;
  assign is_base_read = read_base[9:4] == '0;

  always_ff @(posedge clock) begin
    if (write && idle && write_base[9:4] == '0) begin
      // Multiples of 4096, so that no burst crosses one.
      bases[write_base[3:0]] <= write_base[0] ? write_data : {write_data[31:12], 12'd0};
    end
    if (write && idle && write_word == SLOTS_LOG2) begin
      slots_log2 <= write_data < LEAST_LOG2 ? LEAST_LOG2[4:0] : write_data > MOST_LOG2 ? MOST_LOG2[4:0] : write_data[4:0];
    end
    if (write && idle && write_word == RING_COUNT) begin
      ring_count <= write_data > MOST_RINGS ? MOST_RINGS[3:0] : write_data[3:0];
    end
    if (write && write_word == FLUSH) flush_cycles <= write_data;

    if (reset) begin
      slots_log2 <= LEAST_LOG2[4:0];
      ring_count <= '0;
      flush_cycles <= DEFAULT_FLUSH_CYCLES;
    end
  end

  always_ff @(posedge clock) begin
    slots <= {{(ht_ring_types::COUNT_BITS - 1) {1'b0}}, 1'b1} << slots_log2;
    for (int ring = 0; ring < RINGS; ring++) begin
      rings_in_use[ring] <= ring_count > ring[3:0];
      base_addresses[64*ring+:64] <= {bases[2*ring+1], bases[2*ring]};
      write_credit[ring] <= write && write_word[9:7] == RINGS_PAGE && write_word[6:4] == ring[2:0] &&
                            write_word[3:0] == CREDIT;
    end
  end
  for (genvar ring = 0; ring < RINGS; ring++) begin : g_read
    assign read_ring[ring] = read && read_word[9:7] == RINGS_PAGE && read_word[6:4] == ring;
  end

  always_ff @(posedge clock) begin
    misdirected_packets <= misdirected_packets + {63'd0, misdirected_packet};
    discarded_packets <= discarded_packets + {63'd0, discarded_packet[0]} + {63'd0, discarded_packet[1]};
    if (start || reset) begin
      misdirected_packets <= '0;
      discarded_packets <= '0;
    end
  end

  // Reading a counter's low word keeps its high word for the read that follows.
  logic [31:0] misdirected_high, discarded_high, kernel_data;
  logic is_ring, is_kernel;
  logic [2:0] ring_read;
  always_ff @(posedge clock) begin
    if (read && read_word == MISDIRECTED) misdirected_high <= misdirected_packets[63:32];
    if (read && read_word == DISCARDED) discarded_high <= discarded_packets[63:32];

    is_ring <= read_word[9:7] == RINGS_PAGE;
    is_kernel <= read_word[9:7] == '0;
    ring_read <= read_word[6:4];
    if (is_base_read) kernel_data <= bases[read_base[3:0]];
    else begin
      case (read_word)
        CONTROL: kernel_data <= control;
        SLOTS_LOG2: kernel_data <= {27'd0, slots_log2};
        RING_COUNT: kernel_data <= {28'd0, ring_count};
        STOP: kernel_data <= {31'd0, stop};
        MAGIC: kernel_data <= fs_abi::CARD_RING_REGISTERS_MAGIC;
        VERSION: kernel_data <= fs_abi::CARD_RING_REGISTERS_VERSION;
        BUILD_NUMBER: kernel_data <= BUILD;
        FLUSH: kernel_data <= flush_cycles;
        MISDIRECTED: kernel_data <= misdirected_packets[31:0];
        MISDIRECTED + 10'd1: kernel_data <= misdirected_high;
        DISCARDED: kernel_data <= discarded_packets[31:0];
        DISCARDED + 10'd1: kernel_data <= discarded_high;
        default: kernel_data <= '0;
      endcase
    end

    read_data <= is_ring ? ring_data[32*ring_read+:32] : is_kernel ? kernel_data : '0;
  end
endmodule
