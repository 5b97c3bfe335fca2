// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.offheap.Reason;
import dev.flowstone.tap.SocketAddresses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;

/**
 * Sends datagrams to one address by UDP, in one piece or not at all. Never waits for whoever is
 * there: what the network does with them the receiver finds out. Closed by whoever opened it; one
 * thread sends, any may ask for counters.
 */
public final class UdpOutput implements DatagramOutput, AutoCloseable {
  private static final long SAY_EVERY_NS = TimeUnit.SECONDS.toNanos(10);

  private final DatagramChannel channel;
  private final InetSocketAddress to;
  private final DatagramSize size;
  private final Consumer<String> warn;
  private final LongAdder datagrams = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder unsent = new LongAdder();
  private final LongAdder unreachable = new LongAdder();
  private long saidNs = System.nanoTime() - SAY_EVERY_NS;
  private boolean isSayingLast;
  private boolean isHeard;

  private UdpOutput(
      DatagramChannel channel, InetSocketAddress to, DatagramSize size, Consumer<String> warn) {
    this.channel = channel;
    this.to = to;
    this.size = size;
    this.warn = warn;
  }

  /**
   * Opens a socket and looks whether datagrams leave it in one piece.
   *
   * @param size of the longest datagram
   * @param bufferBytes what the kernel is asked to keep of what it cannot send at once
   * @throws IllegalArgumentException if the interface cannot carry datagrams of that size
   */
  public static UdpOutput open(
      InetSocketAddress to, DatagramSize size, int bufferBytes, Consumer<String> warn) {
    try {
      DatagramChannel channel = DatagramChannel.open(SocketAddresses.family(to.getAddress()));
      try {
        channel.setOption(StandardSocketOptions.SO_SNDBUF, bufferBytes);
        channel.connect(to);
        forbidFragments(channel, warn);
        requireOnePiece(channel, to, size, warn);
        return new UdpOutput(channel, to, size, warn);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot send to " + SocketAddresses.text(to) + ": " + Reason.of(e), e);
    }
  }

  /** Then a router that would cut datagrams up tells this host so, and sending fails. */
  private static void forbidFragments(DatagramChannel channel, Consumer<String> warn)
      throws IOException {
    if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
      channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true);
    } else {
      warn.accept("this system cannot forbid that routers cut datagrams up");
    }
  }

  private static void requireOnePiece(
      DatagramChannel channel, InetSocketAddress to, DatagramSize size, Consumer<String> warn)
      throws IOException {
    InetSocketAddress from = (InetSocketAddress) channel.getLocalAddress();
    NetworkInterface device = NetworkInterface.getByInetAddress(from.getAddress());
    if (device == null) {
      warn.accept(
          "no interface has the address "
              + SocketAddresses.text(from)
              + ", so its MTU is not known");
    } else if (device.getMTU() < size.packetBytes()) {
      throw new IllegalArgumentException(
          "packets to %s leave by %s, whose MTU is %d: datagrams for an MTU of %d would be cut up; --mtu %d, or ip link set %s mtu %d at both ends and on what is between"
              .formatted(
                  SocketAddresses.text(to),
                  device.getName(),
                  device.getMTU(),
                  size.mtuBytes(),
                  device.getMTU(),
                  device.getName(),
                  size.mtuBytes()));
    }
  }

  @Override
  public boolean send(ByteBuffer datagram) {
    int lengthBytes = datagram.remaining();
    try {
      write(datagram);
    } catch (IOException e) {
      unsent.increment();
      say(
          "cannot send %,d bytes to %s: %s; packets are lost until that is mended. Where datagrams are too long for the path, --mtu makes them shorter"
              .formatted(lengthBytes, SocketAddresses.text(to), Reason.of(e)));
      return false;
    }
    datagrams.increment();
    bytes.add(lengthBytes);
    return true;
  }

  /**
   * The kernel tells with the next datagram, and without sending it, that nobody was there for an
   * earlier one.
   */
  private void write(ByteBuffer datagram) throws IOException {
    try {
      channel.write(datagram);
    } catch (PortUnreachableException earlier) {
      if (isSayingLast) {
        isHeard = true;
        return;
      }
      unreachable.increment();
      say(
          "nobody listens at "
              + SocketAddresses.text(to)
              + ": what is sent there is lost until somebody does");
      channel.write(datagram);
    }
  }

  @Override
  public void beginLastWords() {
    isSayingLast = true;
  }

  @Override
  public boolean areLastWordsHeard() {
    return isHeard;
  }

  private void say(String line) {
    long nowNs = System.nanoTime();
    if (nowNs - saidNs >= SAY_EVERY_NS) {
      saidNs = nowNs;
      warn.accept(line);
    }
  }

  /** What is sent at a time. */
  public DatagramSize size() {
    return size;
  }

  /** What the kernel keeps, be it less than was asked for. */
  public int bufferBytes() {
    try {
      return channel.getOption(StandardSocketOptions.SO_SNDBUF);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long datagrams() {
    return datagrams.sum();
  }

  public long bytes() {
    return bytes.sum();
  }

  /** Datagrams that the kernel did not take. */
  public long unsent() {
    return unsent.sum();
  }

  /** How often the kernel told that nobody listened. */
  public long unreachable() {
    return unreachable.sum();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
