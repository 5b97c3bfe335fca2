// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/**
 * Ring file header.
 *
 * <p>A ring file is a header of 64 KiB and 2^slots_log2 slots of 64 bytes. The identity (bytes 0 to
 * 127) and the key-group table never change after the file has its name: the producer fills a
 * temporary file and renames it. The producer alone writes bytes 128 to 319 and the control index;
 * each lane is written by its reader, and freed by an operator or, once its reader has given no
 * sign of life for too long, by the producer. Who must do what, in which order, and what may be
 * concluded from it says the page beside this one, docs/formats/ring-protocol.md.
 *
 * <pre>
 *           +0        +1        +2        +3        +4        +5        +6        +7
 *       +-------------------------------------------------------------------------------+
 *     0 |                                     magic                                     |
 *       +---------------------------------------+---------------------------------------+
 *     8 |              abi_version              |                content                |
 *       +---------------------------------------+---------------------------------------+
 *    16 |                 ring                  |              ring_count               |
 *       +---------------------------------------+---------------------------------------+
 *    24 |                                  incarnation                                  |
 *       +-------------------------------------------------------------------------------+
 *    32 |                                    stream                                     |
 *       +---------------------------------------+---------------------------------------+
 *    40 |              slots_log2               |                 clock                 |
 *       +---------------------------------------+---------------------------------------+
 *    48 |            max_parallelism            |             lineage_count             |
 *       +---------------------------------------+---------------------------------------+
 *    56 |                                  created_ns                                   |
 *       +---------------------------------------+---------------------------------------+
 *    64 |             producer_pid              |              reserved_68              |
 *       +---------------------------------------+---------------------------------------+
 *    72 |                              tap_name (56 bytes)                              |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 *   128 |                                   position                                    |
 *       +-------------------------------------------------------------------------------+
 *   136 |                               reserved_position                               |
 *       +-------------------------------------------------------------------------------+
 *   144 |                                 control_count                                 |
 *       +---------------------------------------+---------------------------------------+
 *   152 |                 state                 |        reserved_156 (36 bytes)        |
 *       +---------------------------------------+---------------------------------------+
 *   160 |                            reserved_156 (36 bytes)                            |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 *   192 |                                offered_packets                                |
 *       +-------------------------------------------------------------------------------+
 *   200 |                                written_packets                                |
 *       +-------------------------------------------------------------------------------+
 *   208 |                                dropped_packets                                |
 *       +-------------------------------------------------------------------------------+
 *   216 |                                 lost_recorded                                 |
 *       +-------------------------------------------------------------------------------+
 *   224 |                               saturated_lengths                               |
 *       +-------------------------------------------------------------------------------+
 *   232 |                                latest_time_ns                                 |
 *       +-------------------------------------------------------------------------------+
 *   240 |                                 offered_bytes                                 |
 *       +-------------------------------------------------------------------------------+
 *   248 |                                lost_before_tap                                |
 *       +-------------------------------------------------------------------------------+
 *   256 |                           lost_before_tap_recorded                            |
 *       +-------------------------------------------------------------------------------+
 *   264 |                                 expired_lanes                                 |
 *       +-------------------------------------------------------------------------------+
 *   272 |                              other_clock_packets                              |
 *       +-------------------------------------------------------------------------------+
 *   280 |                            reserved_280 (40 bytes)                            |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 *   320 |                                  lineage[8]                                   |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 *   512 |                                   lanes[8]                                    |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 *  1536 |                           reserved_1536 (512 bytes)                           |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 *  2048 |                              control_index[256]                               |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 *  4096 |                            key_group_table[32768]                             |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 * 36864 |                         reserved_36864 (28672 bytes)                          |
 *       ~                                                                               ~
 *       +-------------------------------------------------------------------------------+
 * </pre>
 *
 * <p>{@code stream}:
 *
 * <pre>
 * +------------+-------------+
 * | 63:8       | 7:0         |
 * | stream_tap | stream_ring |
 * +------------+-------------+
 * </pre>
 *
 * <p>Generated by hw/abi from {@code hw/abi/ring-file.yaml}; change that file and run {@code mvn -q
 * -f hw/abi/pom.xml compile exec:java}.
 */
public final class RingFileHeaderLayout {
  /** Size of the whole layout. */
  public static final long SIZE_BYTES = 65536;

  /** "FLOWRING" read as a little-endian word. */
  public static final long MAGIC = 0x474e4952574f4c46L;

  /** Raised with every change of this page or of the record. */
  public static final int ABI_VERSION = 2;

  /** Slots start here, so that huge pages and direct I/O stay aligned. */
  public static final int HEADER_BYTES = 65536;

  /** Flink's bound on maxParallelism. */
  public static final int MAX_KEY_GROUPS = 32768;

  /** A key-group table entry is one byte. */
  public static final int MAX_RINGS = 256;

  /** Readers of one ring at a time. */
  public static final int LANE_COUNT = 8;

  /** Latest TIME and LOSS records that a reader finds without looking at every slot. */
  public static final int CONTROL_INDEX_ENTRIES = 256;

  /** Earlier incarnations whose final counters are known. */
  public static final int LINEAGE_ENTRIES = 8;

  /**
   * Slots that packets may not take, so that LOSS and TIME find room, unless a reader resumes so
   * far behind that it leaves fewer.
   */
  public static final int RESERVED_SLOTS = 4;

  /** Smallest ring. */
  public static final int LEAST_SLOTS_LOG2 = 10;

  /** Largest ring. */
  public static final int MOST_SLOTS_LOG2 = 32;

  /** Key group of a flow hash, as Flink computes it: h = rotate_left(hash * first factor, 15). */
  public static final int MURMUR_FIRST_FACTOR = 0xcc9e2d51;

  /** h = rotate_left(h * second factor, 13). */
  public static final int MURMUR_SECOND_FACTOR = 0x1b873593;

  /** h = (h * 5 + addend) XOR 4; h = h XOR (h &gt;&gt; 16). */
  public static final int MURMUR_ADDEND = 0xe6546b64;

  /** h = h * third factor; h = h XOR (h &gt;&gt; 13). */
  public static final int MURMUR_THIRD_FACTOR = 0x85ebca6b;

  /**
   * h = h * fourth factor; h = h XOR (h &gt;&gt; 16); the key group is |h| modulo max_parallelism,
   * |-2^31| being 0.
   */
  public static final int MURMUR_FOURTH_FACTOR = 0xc2b2ae35;

  /** Constant magic. */
  public static final long MAGIC_OFFSET = 0;

  /** Constant abi_version. */
  public static final long ABI_VERSION_OFFSET = 8;

  /** What the slots hold (ring_content). */
  public static final long CONTENT_OFFSET = 12;

  /** Number of this ring among its tap's rings, from 0. */
  public static final long RING_OFFSET = 16;

  /** How many rings the tap fills. */
  public static final long RING_COUNT_OFFSET = 20;

  /**
   * 64 random bits, new with each start of the producer. Positions mean something within one
   * incarnation only.
   */
  public static final long INCARNATION_OFFSET = 24;

  /**
   * Names this ring's packets everywhere: the next tap in the folder inherits it, so it survives
   * restarts of taps and jobs and a new name of the host. Never 0.
   */
  public static final long STREAM_OFFSET = 32;

  /** The ring's number. */
  public static final int STREAM_RING_SHIFT = 0;

  /** To be applied after the shift. */
  public static final long STREAM_RING_MASK = 0xffL;

  /** Random, drawn by the folder's first tap; the same in all its rings. The highest bit is 0. */
  public static final int STREAM_TAP_SHIFT = 8;

  /** To be applied after the shift. */
  public static final long STREAM_TAP_MASK = 0xffffffffffffffL;

  /** 2^slots_log2 slots, least_slots_log2 to most_slots_log2. */
  public static final long SLOTS_LOG2_OFFSET = 40;

  /** Where time comes from (ring_clock). */
  public static final long CLOCK_OFFSET = 44;

  /** Key groups in the table; equals the Flink job's maxParallelism. */
  public static final long MAX_PARALLELISM_OFFSET = 48;

  /** Valid entries of the lineage. */
  public static final long LINEAGE_COUNT_OFFSET = 52;

  /** Wall clock when the producer made the file, UTC nanoseconds. */
  public static final long CREATED_NS_OFFSET = 56;

  /** Process that fills the ring. */
  public static final long PRODUCER_PID_OFFSET = 64;

  /** What fills the ring, UTF-8, zero-padded: "synthetic", "live eth0". */
  public static final long TAP_NAME_OFFSET = 72;

  /** Bytes of {@code tap_name}. */
  public static final int TAP_NAME_LENGTH = 56;

  /** Slots published. Stored with release after the slots it covers; only grows. */
  public static final long POSITION_OFFSET = 128;

  /**
   * The producer may be writing any slot below this. Stored before it looks at the lanes; a reader
   * of slot p was not overrun while reserved_position &lt;= p + slots.
   */
  public static final long RESERVED_POSITION_OFFSET = 136;

  /**
   * TIME and LOSS records placed, those too that are not published yet; entry i of the control
   * index is at i mod control_index_entries.
   */
  public static final long CONTROL_COUNT_OFFSET = 144;

  /** Whether more will come (ring_state). */
  public static final long STATE_OFFSET = 152;

  /** Packets that met this ring, counted before it was known what became of them. */
  public static final long OFFERED_PACKETS_OFFSET = 192;

  /**
   * Packets written, counted as they were. offered = written + dropped, and one more while a packet
   * waits for room.
   */
  public static final long WRITTEN_PACKETS_OFFSET = 200;

  /** Packets dropped because the ring was full, counted as they were. */
  public static final long DROPPED_PACKETS_OFFSET = 208;

  /** Dropped packets that the LOSS records written tell of. */
  public static final long LOST_RECORDED_OFFSET = 216;

  /** Packets whose frame length did not fit its field. */
  public static final long SATURATED_LENGTHS_OFFSET = 224;

  /** Time of the latest TIME record. */
  public static final long LATEST_TIME_NS_OFFSET = 232;

  /** Bytes on the wire of the packets offered. */
  public static final long OFFERED_BYTES_OFFSET = 240;

  /**
   * Packets that never reached the tap, as the kernel, the capture device, the capture file or
   * whoever receives another tap's packets counted them; they were never offered. Told in ring 0.
   */
  public static final long LOST_BEFORE_TAP_OFFSET = 248;

  /** Of these, what the LOSS records written tell of. */
  public static final long LOST_BEFORE_TAP_RECORDED_OFFSET = 256;

  /** Gating lanes whose space the producer took because their readers gave no sign of life. */
  public static final long EXPIRED_LANES_OFFSET = 264;

  /** Packets that were timed by another clock than the one that the header names. */
  public static final long OTHER_CLOCK_PACKETS_OFFSET = 272;

  /** Earlier incarnations, latest first. */
  public static final long LINEAGE_OFFSET = 320;

  /** Readers. */
  public static final long LANES_OFFSET = 512;

  /** Positions of the latest TIME and LOSS records. */
  public static final long CONTROL_INDEX_OFFSET = 2048;

  /** Ring of each key group. */
  public static final long KEY_GROUP_TABLE_OFFSET = 4096;

  private RingFileHeaderLayout() {}
}
