// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.flowstone.offheap.NativeCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;

/**
 * What the kernel says of a network interface by its name. Valid as long as the socket it came
 * from; one thread at a time.
 *
 * <pre>
 *   struct ifreq, 40 bytes: 0 name | 16 flags u16, MTU s32 or address of a further structure
 * </pre>
 */
public final class NetworkDevice {
  private static final long REQUEST_BYTES = 40;
  private static final int MOST_NAME_BYTES = 15;
  private static final long ANSWER = 16;
  private static final int GET_FLAGS = 0x8913;
  private static final int GET_MTU = 0x8921;
  private static final int ETHTOOL = 0x8946;
  private static final int SET_STAMPING = 0x89b0;
  private static final int GET_STAMPING = 0x89b1;
  private static final int FLAG_UP = 1;

  /** struct hwtstamp_config: flags, what is stamped as it leaves, what as it arrives. */
  private static final long STAMPING_BYTES = 12;

  private static final long STAMPING_RECEIVED = 8;
  private static final int STAMP_ALL = 1;

  private final SocketCalls calls;
  private final int fd;
  private final String name;

  /**
   * Ways of merging packets, or of leaving them merged: what is seen is not what is on the wire.
   */
  public enum Offload {
    /** The kernel merges packets that arrive. */
    GRO("gro", 0x2b, 1),
    /** The card merges packets that arrive. */
    LRO("lro", 0x25, 1 << 15),
    /** The card splits packets that leave. */
    TSO("tso", 0x1e, 1),
    /** The kernel splits packets that leave, behind where they are seen. */
    GSO("gso", 0x23, 1);

    private final String ethtoolName;
    private final int command;
    private final int mask;

    Offload(String ethtoolName, int command, int mask) {
      this.ethtoolName = ethtoolName;
      this.command = command;
      this.mask = mask;
    }

    /** As {@code ethtool -K} takes it. */
    public String ethtoolName() {
      return ethtoolName;
    }
  }

  NetworkDevice(SocketCalls calls, int fd, String name) {
    this.calls = calls;
    this.fd = fd;
    this.name = name;
  }

  /** Whether it is up; false also when it has just gone. */
  public boolean isUp() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = request(arena);
      calls.control(fd, GET_FLAGS, request, "SIOCGIFFLAGS, " + name);
      return (request.get(JAVA_SHORT, ANSWER) & FLAG_UP) != 0;
    } catch (NativeCallException e) {
      if (e.errno() == PacketSocket.ERRNO_NO_SUCH_DEVICE) {
        return false;
      }
      throw e;
    }
  }

  /** The longest packet that it sends, without its link header. */
  public int mtuBytes() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment request = request(arena);
      calls.control(fd, GET_MTU, request, "SIOCGIFMTU, " + name);
      return request.get(JAVA_INT, ANSWER);
    }
  }

  /** Those that are on; one that the interface does not know is off. */
  public Set<Offload> offloads() {
    Set<Offload> found = EnumSet.noneOf(Offload.class);
    for (Offload offload : Offload.values()) {
      if (isOn(offload)) {
        found.add(offload);
      }
    }
    return found;
  }

  private boolean isOn(Offload offload) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocateFrom(JAVA_INT, offload.command, 0);
      MemorySegment request = request(arena);
      request.set(ADDRESS, ANSWER, value);
      calls.control(fd, ETHTOOL, request, "SIOCETHTOOL, " + name);
      return (value.get(JAVA_INT, Integer.BYTES) & offload.mask) != 0;
    } catch (NativeCallException notKnown) {
      return false;
    }
  }

  /**
   * Has the card stamp every packet that arrives. Where it does so already nothing is changed; else
   * that takes CAP_NET_ADMIN, and changes it for everybody.
   */
  public void stampReceived() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stamping = arena.allocate(STAMPING_BYTES, Integer.BYTES);
      MemorySegment request = request(arena);
      request.set(ADDRESS, ANSWER, stamping);
      if (!stampsReceived(request, stamping)) {
        stamping.set(JAVA_INT, STAMPING_RECEIVED, STAMP_ALL);
        calls.control(fd, SET_STAMPING, request, "SIOCSHWTSTAMP, " + name);
      }
    }
  }

  /** Leaves in {@code stamping} what the card does now; some drivers cannot tell. */
  private boolean stampsReceived(MemorySegment request, MemorySegment stamping) {
    try {
      calls.control(fd, GET_STAMPING, request, "SIOCGHWTSTAMP, " + name);
      return stamping.get(JAVA_INT, STAMPING_RECEIVED) == STAMP_ALL;
    } catch (NativeCallException cannotTell) {
      return false;
    }
  }

  private MemorySegment request(Arena arena) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    MemorySegment request = arena.allocate(REQUEST_BYTES, Long.BYTES);
    MemorySegment.copy(bytes, 0, request, JAVA_BYTE, 0, Math.min(bytes.length, MOST_NAME_BYTES));
    return request;
  }
}
