// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A TPACKET_V3 block and the frame headers in it, at offsets of the ring. Words are in the
 * machine's own byte order.
 *
 * <pre>
 *   block:  0 version | 4 private | 8 status | 12 packets | 16 first frame | 20 length ...
 *   frame:  0 next | 4 s | 8 ns | 12 captured | 16 on wire | 20 status | 24 link header u16
 *           32 VLAN tag | 36 VLAN type u16 | 48 sockaddr_ll: 58 direction u8
 * </pre>
 *
 * <p>Publication: the kernel writes a block, then its status with bit 0 set; the reader loads the
 * status with acquire, reads, and gives the block back by a release store of 0.
 */
final class KernelBlock {
  private static final long STATUS = 8;
  private static final long PACKETS = 12;
  private static final long FIRST_FRAME = 16;
  private static final int STATUS_USER = 1;
  private static final int STATUS_KERNEL = 0;
  private static final long SECONDS = 4;
  private static final long NANOSECONDS = 8;
  private static final long CAPTURED = 12;
  private static final long WIRE = 16;
  private static final long FRAME_STATUS = 20;
  private static final long LINK_HEADER = 24;
  private static final long VLAN_TAG = 32;
  private static final long VLAN_TYPE = 36;
  private static final long DIRECTION = 58;
  private static final int STATUS_VLAN_VALID = 1 << 4;
  private static final int STATUS_VLAN_TYPE_VALID = 1 << 6;
  private static final int DIRECTION_OTHER_HOST = 3;
  private static final int DIRECTION_OUTGOING = 4;
  private static final int DEFAULT_VLAN_TYPE = 0x8100;
  private static final int MAC_ADDRESSES_BYTES = 12;
  private static final long SECOND_NS = 1_000_000_000;

  private static final int STATUS_HARDWARE_TIME = 1 << 31;

  /** Bytes of a VLAN tag in a frame. */
  static final int VLAN_BYTES = 4;

  private static final VarHandle STATUS_HANDLE = JAVA_INT.varHandle();
  private static final ValueLayout.OfShort NETWORK_SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private final MemorySegment ring;

  KernelBlock(MemorySegment ring) {
    this.ring = ring;
  }

  boolean isReady(long block) {
    return ((int) STATUS_HANDLE.getAcquire(ring, block + STATUS) & STATUS_USER) != 0;
  }

  void giveBack(long block) {
    STATUS_HANDLE.setRelease(ring, block + STATUS, STATUS_KERNEL);
  }

  int packets(long block) {
    return ring.get(JAVA_INT, block + PACKETS);
  }

  long firstFrame(long block) {
    return block + Integer.toUnsignedLong(ring.get(JAVA_INT, block + FIRST_FRAME));
  }

  long nextFrame(long frame) {
    return frame + Integer.toUnsignedLong(ring.get(JAVA_INT, frame));
  }

  long timeNs(long frame) {
    return Integer.toUnsignedLong(ring.get(JAVA_INT, frame + SECONDS)) * SECOND_NS
        + Integer.toUnsignedLong(ring.get(JAVA_INT, frame + NANOSECONDS));
  }

  /** Whether the time is the card's, not the host's. */
  boolean hasHardwareTime(long frame) {
    return (ring.get(JAVA_INT, frame + FRAME_STATUS) & STATUS_HARDWARE_TIME) != 0;
  }

  int capturedBytes(long frame) {
    return ring.get(JAVA_INT, frame + CAPTURED);
  }

  int wireBytes(long frame) {
    return ring.get(JAVA_INT, frame + WIRE);
  }

  long data(long frame) {
    return frame + Short.toUnsignedLong(ring.get(JAVA_SHORT, frame + LINK_HEADER));
  }

  /** Whether the frame was sent by another host to another host. */
  boolean isForOtherHost(long frame) {
    return ring.get(JAVA_BYTE, frame + DIRECTION) == DIRECTION_OTHER_HOST;
  }

  boolean isOutgoing(long frame) {
    return ring.get(JAVA_BYTE, frame + DIRECTION) == DIRECTION_OUTGOING;
  }

  /** Whether the kernel or the card took a VLAN tag out of the frame. */
  boolean hasVlan(long frame) {
    return (ring.get(JAVA_INT, frame + FRAME_STATUS) & STATUS_VLAN_VALID) != 0;
  }

  /** Puts the VLAN tag back where it was, using the bytes reserved before the frame. */
  void restoreVlan(long frame) {
    long data = data(frame);
    MemorySegment.copy(ring, data, ring, data - VLAN_BYTES, MAC_ADDRESSES_BYTES);
    boolean typed = (ring.get(JAVA_INT, frame + FRAME_STATUS) & STATUS_VLAN_TYPE_VALID) != 0;
    int type = typed ? ring.get(JAVA_SHORT, frame + VLAN_TYPE) : DEFAULT_VLAN_TYPE;
    long tag = data - VLAN_BYTES + MAC_ADDRESSES_BYTES;
    ring.set(NETWORK_SHORT, tag, (short) type);
    ring.set(NETWORK_SHORT, tag + Short.BYTES, (short) ring.get(JAVA_INT, frame + VLAN_TAG));
  }
}
