// SPDX-License-Identifier: Apache-2.0
// What the parts of ht_ring hand to each other, and the numbers of the ring protocol that no layout has.
package ht_ring_types;
  localparam int RINGS = 8; // fs_abi::CARD_RING_REGISTERS_MOST_RINGS
  localparam int INDEX_BITS = 22; // of a slot: fs_abi::CARD_RING_REGISTERS_MOST_SLOTS_LOG2
  localparam int COUNT_BITS = INDEX_BITS + 1; // how many slots: all of them are one more than the last index

  // docs/formats/ring-protocol.md, steps 8 and 11: what stays free behind a control record in mid-stream, and how many slots a
  // reader has to look through to know the time.
  localparam logic [COUNT_BITS-1:0] FREE_BEHIND_CONTROL = 23'd2;
  localparam logic [16:0] TIME_INTERVAL_SLOTS = 17'd65536;

  localparam int BURST_BITS = 5; // of a number of slots up to fs_abi::CARD_RING_REGISTERS_BURST_SLOTS
  localparam int ID_BITS = 4; // bursts that the memory has not answered yet: 16

  // What a port brings: a packet or a tick, and which rings it is for.
  typedef struct packed {
    logic is_tick;
    logic [RINGS-1:0] rings; // none: misdirected
    logic [31:0] time_high;
    logic [511:0] record;
  } beat_t;

  // What a ring is told of an item before it decides; the record itself waits in the queue.
  typedef struct packed {
    logic is_tick;
    logic is_last; // after this nothing comes until the next start
    logic time_known; // always, but in a last item when no port ever sent anything
    logic [63:0] time_ns; // a packet's own; else the time that no port will fall short of
    logic [18:0] frame_length;
  } item_t;
endpackage
