// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.net;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An AF_PACKET socket with a TPACKET_V3 receive ring: the kernel writes frames into blocks of
 * shared memory, and a block belongs to the kernel or to the reader, as its status word says.
 * Closed by whoever opened it, after which the ring must not be touched; one thread at a time.
 *
 * <p>Needs CAP_NET_RAW: {@code open} fails with {@link #ERRNO_NOT_PERMITTED} without it.
 */
public final class PacketSocket implements AutoCloseable {
  public static final int ERRNO_NOT_PERMITTED = 1;
  public static final int ERRNO_NO_SUCH_DEVICE = 19;

  /** Bytes left free before each frame, so that a VLAN tag that the kernel took out can go back. */
  public static final int RESERVED_BYTES = 4;

  private static final int AF_PACKET = 17;
  private static final int SOCK_RAW = 3;
  private static final int SOCK_CLOEXEC = 02000000;
  private static final int NO_PROTOCOL = 0;

  /** An EtherType that no frame bears. 0 would mean: the protocol bound to before. */
  private static final int RESERVED_PROTOCOL = 0xFFFF;

  private static final int ETH_P_ALL = 3;
  private static final int SOL_PACKET = 263;
  private static final int PACKET_ADD_MEMBERSHIP = 1;
  private static final int PACKET_RX_RING = 5;
  private static final int PACKET_STATISTICS = 6;
  private static final int PACKET_VERSION = 10;
  private static final int PACKET_RESERVE = 12;
  private static final int PACKET_MR_PROMISC = 1;
  private static final int TPACKET_V3 = 2;
  private static final int FRAME_BYTES = 2048;
  private static final int SOCKET_ADDRESS_BYTES = 20;
  private static final int MEMBERSHIP_BYTES = 16;
  private static final int POLLIN = 1;

  private static final ValueLayout.OfShort NETWORK_SHORT =
      JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final SocketCalls calls = SocketCalls.instance();
  private final int fd;
  private final String interfaceName;
  private final int interfaceIndex;
  private final int hardwareType;
  private final MemorySegment ring;
  private final MemorySegment pollRequest;
  private final MemorySegment statistics;
  private boolean closed;

  /**
   * Opens a socket on one interface, which hears nothing before {@link #listen}.
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
    interfaceIndex = calls.interfaceIndex(interfaceName);
    setInt(PACKET_VERSION, TPACKET_V3, "PACKET_VERSION");
    setInt(PACKET_RESERVE, RESERVED_BYTES, "PACKET_RESERVE");
    requestRing(blockBytes, blockCount, retireMs);
    ring = calls.mapShared(fd, (long) blockBytes * blockCount);
    try {
      hardwareType = bind(NO_PROTOCOL);
      if (promiscuous) {
        joinPromiscuous();
      }
    } catch (RuntimeException e) {
      calls.unmap(ring);
      throw e;
    }
    pollRequest = arena.allocate(Long.BYTES, Integer.BYTES);
    pollRequest.set(JAVA_INT, 0, fd);
    pollRequest.set(JAVA_SHORT, 4, (short) POLLIN);
    statistics = arena.allocate(3L * Integer.BYTES, Integer.BYTES);
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
   * From now on the kernel writes frames. It hands a block over after each retire time however few
   * are in it, so a ring that nobody reads is soon full: listen when reading begins.
   */
  public void listen() {
    bind(ETH_P_ALL);
  }

  /** No more frames; what the kernel has written it still hands over. */
  public void stopListening() {
    bind(RESERVED_PROTOCOL);
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

  /** Waits until a block is ready; false when the time passed or a signal came. */
  public boolean await(int timeoutMs) {
    return calls.poll(pollRequest, timeoutMs, interfaceName);
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
