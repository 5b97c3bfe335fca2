// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.flowstone.offheap.NativeCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * An AF_PACKET socket with a TPACKET_V3 receive ring: the kernel writes frames into blocks of
 * shared memory, and a block belongs to the kernel or to the reader, as its status word says. The
 * socket outlives the interface it is attached to. Closed by whoever opened it, after which the
 * ring must not be touched; one thread at a time.
 *
 * <p>Needs CAP_NET_RAW: {@code open} fails with {@link #ERRNO_NOT_PERMITTED} without it.
 */
public final class PacketSocket implements AutoCloseable {
  public static final int ERRNO_NOT_PERMITTED = 1;
  public static final int ERRNO_NO_SUCH_DEVICE = 19;
  public static final int ERRNO_NETWORK_DOWN = 100;

  /** Bytes left free before each frame, so that a VLAN tag that the kernel took out can go back. */
  public static final int RESERVED_BYTES = 4;

  private static final int AF_PACKET = 17;
  private static final int SOCK_RAW = 3;
  private static final int SOCK_CLOEXEC = 02000000;
  private static final int NO_PROTOCOL = 0;

  private static final int ETH_P_ALL = 3;
  private static final int SOL_PACKET = 263;
  private static final int PACKET_ADD_MEMBERSHIP = 1;
  private static final int PACKET_RX_RING = 5;
  private static final int PACKET_STATISTICS = 6;
  private static final int PACKET_VERSION = 10;
  private static final int PACKET_FANOUT = 18;

  /** The kernel's hash of a flow, the same for both directions, chooses the socket. */
  private static final int FANOUT_HASH = 0;

  /** The kernel finds a number that no other group has; Linux 4.13. */
  private static final int FANOUT_NEW_NUMBER = 0x2000 << 16;

  private static final int FANOUT_NUMBER = 0xFFFF;
  private static final int PACKET_RESERVE = 12;
  private static final int PACKET_MR_PROMISC = 1;
  private static final int TPACKET_V3 = 2;
  private static final int FRAME_BYTES = 2048;
  private static final int SOCKET_ADDRESS_BYTES = 20;
  private static final int MEMBERSHIP_BYTES = 16;
  private static final int POLLIN = 1;
  private static final int POLL_TROUBLE = 8 | 16 | 32;
  private static final int POLL_ANSWER_OFFSET = 6;
  private static final int SOL_SOCKET = 1;
  private static final int SO_ATTACH_FILTER = 26;
  private static final int SO_DETACH_FILTER = 27;
  private static final int SO_ERROR = 4;
  private static final int PACKET_TIMESTAMP = 17;
  private static final int PACKET_IGNORE_OUTGOING = 23;
  private static final int ERRNO_NO_SUCH_OPTION = 92;
  private static final int STAMP_BY_HARDWARE = 1 << 6;
  private static final int NOT_ATTACHED = -1;

  private static final ValueLayout.OfShort NETWORK_SHORT =
      JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final SocketCalls calls = SocketCalls.instance();
  private final int fd;
  private final String interfaceName;
  private final boolean promiscuous;
  private int interfaceIndex = NOT_ATTACHED;
  private int hardwareType;
  private final MemorySegment ring;
  private final MemorySegment pollRequest;
  private final MemorySegment statistics;
  private boolean closed;

  /** What a wait ended with. */
  public enum Event {
    NOTHING,
    BLOCK_READY,
    TROUBLE
  }

  /**
   * Opens a socket that hears nothing before {@link #attach}, {@link #listen} and {@link #begin}.
   *
   * @param blockBytes size of a block, a power of two of at least a page
   * @param blockCount number of blocks
   * @param retireMs after which time a block that is not full is handed over
   * @param promiscuous whether to see frames for other stations, too
   */
  public static PacketSocket open(
      String interfaceName, int blockBytes, int blockCount, int retireMs, boolean promiscuous) {
    SocketCalls calls = SocketCalls.instance();
    int fd = calls.socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    try {
      return new PacketSocket(fd, interfaceName, blockBytes, blockCount, retireMs, promiscuous);
    } catch (RuntimeException e) {
      calls.close(fd);
      throw e;
    }
  }

  private PacketSocket(
      int fd,
      String interfaceName,
      int blockBytes,
      int blockCount,
      int retireMs,
      boolean promiscuous) {
    this.fd = fd;
    this.interfaceName = interfaceName;
    this.promiscuous = promiscuous;
    setInt(PACKET_VERSION, TPACKET_V3, "PACKET_VERSION");
    setInt(PACKET_RESERVE, RESERVED_BYTES, "PACKET_RESERVE");
    requestRing(blockBytes, blockCount, retireMs);
    ring = calls.mapShared(fd, (long) blockBytes * blockCount);
    pollRequest = arena.allocate(Long.BYTES, Integer.BYTES);
    pollRequest.set(JAVA_INT, 0, fd);
    pollRequest.set(JAVA_SHORT, 4, (short) POLLIN);
    statistics = arena.allocate(3L * Integer.BYTES, Integer.BYTES);
  }

  /**
   * Takes the interface that has the name now, which may be another one than before; throws with
   * {@link #ERRNO_NO_SUCH_DEVICE} where there is none. Nothing is heard of it before {@link
   * #begin}.
   */
  public void attach() {
    interfaceIndex = calls.interfaceIndex(interfaceName);
    // Bound once to all protocols, it hears them of the next interface at once.
    filter(PacketFilter.NOTHING);
    hardwareType = bind(NO_PROTOCOL);
    if (promiscuous) {
      joinPromiscuous();
    }
  }

  /** Whether the interface is still there, up or down and under whatever name. */
  public boolean isAttached() {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment address = call.allocate(SOCKET_ADDRESS_BYTES, Integer.BYTES);
      calls.localAddress(fd, address);
      return interfaceIndex != NOT_ATTACHED && address.get(JAVA_INT, 4) == interfaceIndex;
    }
  }

  /** What else the kernel knows of the interface, by the name it has now. */
  public NetworkDevice device() {
    return new NetworkDevice(calls, fd, calls.interfaceName(interfaceIndex).orElse(interfaceName));
  }

  /** Frames bear the card's time from now on, those that the card stamped. */
  public void preferHardwareTimestamps() {
    setInt(PACKET_TIMESTAMP, STAMP_BY_HARDWARE, "PACKET_TIMESTAMP");
  }

  /**
   * Whether frames that leave are passed over, neither written nor counted as drops. A kernel
   * before Linux 4.20 cannot, and goes on showing them.
   */
  public void ignoreOutgoing(boolean ignore) {
    try {
      setInt(PACKET_IGNORE_OUTGOING, ignore ? 1 : 0, "PACKET_IGNORE_OUTGOING");
    } catch (NativeCallException e) {
      if (e.errno() != ERRNO_NO_SUCH_OPTION) {
        throw e;
      }
    }
  }

  private void setInt(int option, int value, String name) {
    try (Arena call = Arena.ofConfined()) {
      calls.setOption(fd, SOL_PACKET, option, call.allocateFrom(JAVA_INT, value), name);
    }
  }

  private void requestRing(int blockBytes, int blockCount, int retireMs) {
    int frameCount = blockBytes / FRAME_BYTES * blockCount;
    try (Arena call = Arena.ofConfined()) {
      MemorySegment request =
          call.allocateFrom(
              JAVA_INT, blockBytes, blockCount, FRAME_BYTES, frameCount, retireMs, 0, 0);
      calls.setOption(
          fd,
          SOL_PACKET,
          PACKET_RX_RING,
          request,
          "PACKET_RX_RING with " + blockCount + " blocks of " + blockBytes + " bytes");
    }
  }

  /**
   * Binds to all that the interface hears. From now on the kernel hands a block over after each
   * retire time however few frames are in it, so a ring that nobody reads is soon full: listen when
   * reading begins. Frames come after {@link #begin}.
   */
  public void listen() {
    bind(ETH_P_ALL);
  }

  /**
   * Has the kernel share the frames between the sockets of a new group, all frames of a flow for
   * the same one; for a socket that listens. It cannot be attached again.
   *
   * @return the number of the group
   */
  public int beginGroup() {
    setInt(PACKET_FANOUT, FANOUT_HASH << 16 | FANOUT_NEW_NUMBER, "PACKET_FANOUT, a new group");
    try (Arena call = Arena.ofConfined()) {
      MemorySegment group = call.allocate(JAVA_INT);
      calls.getOption(fd, SOL_PACKET, PACKET_FANOUT, group, "PACKET_FANOUT");
      return group.get(JAVA_INT, 0) & FANOUT_NUMBER;
    }
  }

  /** Joins another's group. */
  public void joinGroup(int group) {
    setInt(PACKET_FANOUT, FANOUT_HASH << 16 | group, "PACKET_FANOUT, group " + group);
  }

  /** Throws if the kernel does not take this filter; for a socket that hears nothing yet. */
  public void tryFilter(PacketFilter filter) {
    filter(filter);
    filter(PacketFilter.NOTHING);
  }

  /** From now on the kernel writes frames, those that a filter lets through. */
  public void begin(Optional<PacketFilter> filter) {
    if (filter.isPresent()) {
      filter(filter.get());
    } else {
      try (Arena call = Arena.ofConfined()) {
        MemorySegment nothing = call.allocateFrom(JAVA_INT, 0);
        calls.setOption(fd, SOL_SOCKET, SO_DETACH_FILTER, nothing, "SO_DETACH_FILTER");
      }
    }
  }

  /** No more frames; what the kernel has written it still hands over. */
  public void stopListening() {
    filter(PacketFilter.NOTHING);
  }

  private void filter(PacketFilter filter) {
    try (Arena call = Arena.ofConfined()) {
      calls.setOption(
          fd,
          SOL_SOCKET,
          SO_ATTACH_FILTER,
          filter.write(call),
          "SO_ATTACH_FILTER of " + filter.instructions().size() + " instructions");
    }
  }

  /** Binds to the protocols of the interface and returns its hardware type. */
  private int bind(int protocol) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment address = call.allocate(SOCKET_ADDRESS_BYTES, Integer.BYTES);
      address.set(JAVA_SHORT, 0, (short) AF_PACKET);
      address.set(NETWORK_SHORT, 2, (short) protocol);
      address.set(JAVA_INT, 4, interfaceIndex);
      calls.bind(fd, address, "interface " + interfaceName);
      calls.localAddress(fd, address);
      return Short.toUnsignedInt(address.get(JAVA_SHORT, 8));
    }
  }

  private void joinPromiscuous() {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment request = call.allocate(MEMBERSHIP_BYTES, Integer.BYTES);
      request.set(JAVA_INT, 0, interfaceIndex);
      request.set(JAVA_SHORT, 4, (short) PACKET_MR_PROMISC);
      calls.setOption(
          fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, request, "promiscuous mode of " + interfaceName);
    }
  }

  /** All blocks, one after the other. */
  public MemorySegment ring() {
    return ring;
  }

  /** The interface's ARPHRD_ number: 1 Ethernet, 772 loopback, 65534 none. */
  public int hardwareType() {
    return hardwareType;
  }

  /** Waits until a block is ready; nothing when the time passed or a signal came. */
  public Event await(int timeoutMs) {
    if (!calls.poll(pollRequest, timeoutMs, interfaceName)) {
      return Event.NOTHING;
    }
    boolean trouble = (pollRequest.get(JAVA_SHORT, POLL_ANSWER_OFFSET) & POLL_TROUBLE) != 0;
    return trouble ? Event.TROUBLE : Event.BLOCK_READY;
  }

  /** The errno of what went wrong since the last call; 0: nothing. Until then no wait waits. */
  public int takeError() {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment error = call.allocate(JAVA_INT);
      calls.getOption(fd, SOL_SOCKET, SO_ERROR, error, "SO_ERROR");
      return error.get(JAVA_INT, 0);
    }
  }

  /** Packets that found no room since the last call: the kernel starts again at 0. */
  public long takeDrops() {
    calls.getOption(fd, SOL_PACKET, PACKET_STATISTICS, statistics, "PACKET_STATISTICS");
    return Integer.toUnsignedLong(statistics.get(JAVA_INT, Integer.BYTES));
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    calls.unmap(ring);
    calls.close(fd);
    arena.close();
  }
}
