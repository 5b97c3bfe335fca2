// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/**
 * Registers of the card's tap.
 *
 * <p>One tap for each port: frames in, records out. A counter is read low word first, which holds
 * the high word still until it is read.
 *
 * <pre>
 *          +0        +1        +2        +3        +4        +5        +6        +7
 *      +---------------------------------------+---------------------------------------+
 *    0 |                control                |         reserved_4 (12 bytes)         |
 *      +---------------------------------------+---------------------------------------+
 *    8 |                             reserved_4 (12 bytes)                             |
 *      +---------------------------------------+---------------------------------------+
 *   16 |             ingress_port              |              reserved_20              |
 *      +---------------------------------------+---------------------------------------+
 *   24 |            max_parallelism            |        reserved_28 (228 bytes)        |
 *      +---------------------------------------+---------------------------------------+
 *   32 |                            reserved_28 (228 bytes)                            |
 *      ~                                                                               ~
 *      +---------------------------------------+---------------------------------------+
 *  256 |                 stop                  |                 magic                 |
 *      +---------------------------------------+---------------------------------------+
 *  264 |                version                |                 build                 |
 *      +---------------------------------------+---------------------------------------+
 *  272 |            time_increment             |             time_set_high             |
 *      +---------------------------------------+---------------------------------------+
 *  280 |             time_set_low              |              tick_cycles              |
 *      +---------------------------------------+---------------------------------------+
 *  288 |                                    time_ns                                    |
 *      +-------------------------------------------------------------------------------+
 *  296 |                               received_packets                                |
 *      +-------------------------------------------------------------------------------+
 *  304 |                                received_bytes                                 |
 *      +-------------------------------------------------------------------------------+
 *  312 |                                  bad_packets                                  |
 *      +-------------------------------------------------------------------------------+
 *  320 |                               filtered_packets                                |
 *      +-------------------------------------------------------------------------------+
 *  328 |                              overflowed_packets                               |
 *      +-------------------------------------------------------------------------------+
 *  336 |                                 sent_packets                                  |
 *      +-------------------------------------------------------------------------------+
 *  344 |                            reserved_344 (40 bytes)                            |
 *      ~                                                                               ~
 *      +---------------------------------------+---------------------------------------+
 *  384 |              classifying              |             table_address             |
 *      +---------------------------------------+---------------------------------------+
 *  392 |              table_ring               |       reserved_396 (628 bytes)        |
 *      +---------------------------------------+---------------------------------------+
 *  400 |                           reserved_396 (628 bytes)                            |
 *      ~                                                                               ~
 *      +-------------------------------------------------------------------------------+
 * 1024 |                                   rules[31]                                   |
 *      ~                                                                               ~
 *      +-------------------------------------------------------------------------------+
 * 4000 |                           reserved_4000 (96 bytes)                            |
 *      ~                                                                               ~
 *      +-------------------------------------------------------------------------------+
 * </pre>
 *
 * <p>{@code control}:
 *
 * <pre>
 * +------------------+-------+------+------+-------+
 * | 31:4             | 3     | 2    | 1    | 0     |
 * | reserved_control | ready | idle | done | start |
 * +------------------+-------+------+------+-------+
 * </pre>
 *
 * <p>Generated by hw/abi from {@code hw/abi/card-registers.yaml}; change that file and run {@code
 * mvn -q -f hw/abi/pom.xml compile exec:java}.
 */
public final class CardTapRegistersLayout {
  /** Size of the whole layout. */
  public static final long SIZE_BYTES = 4096;

  /** "FTAP" read as a little-endian word. */
  public static final int MAGIC = 0x50415446;

  /** Raised with every change of the registers or of the record. */
  public static final int VERSION = 1;

  /** As Vitis asks of every kernel (ap_ctrl_hs). */
  public static final long CONTROL_OFFSET = 0;

  /** Write 1: begin. Reads 1 until the kernel is done. */
  public static final int START_SHIFT = 0;

  /** To be applied after the shift. */
  public static final int START_MASK = 0x1;

  /** The kernel has stopped; cleared by reading. */
  public static final int DONE_SHIFT = 1;

  /** To be applied after the shift. */
  public static final int DONE_MASK = 0x1;

  /** It does not run. */
  public static final int IDLE_SHIFT = 2;

  /** To be applied after the shift. */
  public static final int IDLE_MASK = 0x1;

  /** As done. */
  public static final int READY_SHIFT = 3;

  /** To be applied after the shift. */
  public static final int READY_MASK = 0x1;

  /** Zero. */
  public static final int RESERVED_CONTROL_SHIFT = 4;

  /** To be applied after the shift. */
  public static final int RESERVED_CONTROL_MASK = 0xfffffff;

  /** Argument: ingress_port of the records. */
  public static final long INGRESS_PORT_OFFSET = 16;

  /** Argument: key groups, a power of two of at most 32768. */
  public static final long MAX_PARALLELISM_OFFSET = 24;

  /** Write 1: take no more frames, send what is under way, be done. */
  public static final long STOP_OFFSET = 256;

  /** Constant magic. */
  public static final long MAGIC_OFFSET = 260;

  /** Constant version. */
  public static final long VERSION_OFFSET = 264;

  /** Which sources it was made of, as its maker numbered them. */
  public static final long BUILD_OFFSET = 268;

  /** What a clock cycle adds to the time: nanoseconds and 28 bits of fractions. */
  public static final long TIME_INCREMENT_OFFSET = 272;

  /** High word for the next write of time_set_low. */
  public static final long TIME_SET_HIGH_OFFSET = 276;

  /** Writing it sets the time, UTC nanoseconds. */
  public static final long TIME_SET_LOW_OFFSET = 280;

  /** The time. */
  public static final long TIME_NS_OFFSET = 288;

  /** Frames that came in whole and well. */
  public static final long RECEIVED_PACKETS_OFFSET = 296;

  /** Their bytes. */
  public static final long RECEIVED_BYTES_OFFSET = 304;

  /** Frames that the MAC called damaged. They have no record. */
  public static final long BAD_PACKETS_OFFSET = 312;

  /** Packets that a rule dropped. They have no record. */
  public static final long FILTERED_PACKETS_OFFSET = 320;

  /** Packets that were dropped because the way to the rings was full. They have no record. */
  public static final long OVERFLOWED_PACKETS_OFFSET = 328;

  /**
   * Records sent to the rings. received = filtered + overflowed + sent, but for those under way.
   */
  public static final long SENT_PACKETS_OFFSET = 336;

  /** 0: no rule is looked at, every packet has class 0. So while rules are written. */
  public static final long CLASSIFYING_OFFSET = 384;

  /** Key group that the next write of table_ring is of. */
  public static final long TABLE_ADDRESS_OFFSET = 388;

  /** Writing it names the key group's ring, and goes on to the next key group. */
  public static final long TABLE_RING_OFFSET = 392;

  /** Written only while classifying is 0; reading gives 0. */
  public static final long RULES_OFFSET = 1024;

  private CardTapRegistersLayout() {}
}
