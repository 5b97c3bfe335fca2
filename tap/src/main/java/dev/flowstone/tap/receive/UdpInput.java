// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.offheap.Reason;
import dev.flowstone.tap.SocketAddresses;
import dev.flowstone.tap.datagram.DatagramBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** A UDP socket that receives. Closed by whoever opened it; one thread. */
public final class UdpInput implements AutoCloseable {
  /** There is no datagram now. */
  public static final int NOTHING = -1;

  private final DatagramChannel channel;
  private final Selector selector;
  private InetSocketAddress source;

  private UdpInput(DatagramChannel channel, Selector selector) {
    this.channel = channel;
    this.selector = selector;
  }

  /**
   * Binds to an address.
   *
   * @param bufferBytes what the kernel is asked to keep while the receiver is busy
   */
  public static UdpInput open(InetSocketAddress address, int bufferBytes) {
    try {
      DatagramChannel channel = DatagramChannel.open(SocketAddresses.family(address.getAddress()));
      try {
        channel.setOption(StandardSocketOptions.SO_RCVBUF, bufferBytes);
        channel.bind(address);
        channel.configureBlocking(false);
        Selector selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
        return new UdpInput(channel, selector);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot receive at " + SocketAddresses.text(address) + ": " + Reason.of(e), e);
    }
  }

  /** Fills a buffer with the next datagram and returns its length, or {@link #NOTHING}. */
  public int receive(DatagramBuffer buffer) {
    try {
      ByteBuffer bytes = buffer.toFill();
      source = (InetSocketAddress) channel.receive(bytes);
      return source == null ? NOTHING : bytes.position();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot receive: " + Reason.of(e), e);
    }
  }

  /** Where the latest datagram came from. */
  public InetSocketAddress source() {
    return source;
  }

  /** Waits for a datagram, but not for long. */
  public void await(long timeoutMs) {
    try {
      selector.select(timeoutMs);
      selector.selectedKeys().clear();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot receive: " + Reason.of(e), e);
    }
  }

  public InetSocketAddress address() {
    try {
      return (InetSocketAddress) channel.getLocalAddress();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the kernel keeps, be it less than was asked for. */
  public int bufferBytes() {
    try {
      return channel.getOption(StandardSocketOptions.SO_RCVBUF);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try (selector;
        channel) {
      // In this order backwards.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
