// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A hop between two programs of this host that loses one datagram in each period. The first
 * datagrams pass. One thread uses it, and closes it.
 */
public final class LossyHop implements AutoCloseable {
  private static final int MOST_BYTES = 1 << 16;
  private static final int SOCKET_BYTES = 4 << 20;

  private final DatagramSocket in = new DatagramSocket(0, InetAddress.getLoopbackAddress());
  private final DatagramSocket out = new DatagramSocket();
  private final InetSocketAddress to;
  private final int lossPeriod;
  private final AtomicLong lost = new AtomicLong();

  public LossyHop(int port, int lossPeriod) throws IOException {
    to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.lossPeriod = lossPeriod;
    in.setReceiveBufferSize(SOCKET_BYTES);
    Thread.ofPlatform().name("hop").daemon().start(this::passOn);
  }

  public int port() {
    return in.getLocalPort();
  }

  public long lost() {
    return lost.get();
  }

  private void passOn() {
    byte[] bytes = new byte[MOST_BYTES];
    for (long number = 1; !in.isClosed(); number++) {
      DatagramPacket datagram = new DatagramPacket(bytes, bytes.length);
      try {
        in.receive(datagram);
        if (number % lossPeriod == 0) {
          lost.incrementAndGet();
        } else {
          out.send(new DatagramPacket(bytes, datagram.getLength(), to));
        }
      } catch (IOException nobodyListens) {
        // As in any network.
      }
    }
  }

  @Override
  public void close() {
    in.close();
    out.close();
  }
}
