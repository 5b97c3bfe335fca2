// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UdpOutputTest {
  private static final int LIMIT_MS = 5_000;

  private final List<String> said = new ArrayList<>();

  private static ByteBuffer datagram(int text) {
    return ByteBuffer.wrap(new byte[] {(byte) text});
  }

  private static InetSocketAddress free() throws IOException {
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      return (InetSocketAddress) socket.getLocalSocketAddress();
    }
  }

  /** The kernel tells of the first datagram in place of sending the second. */
  @Test
  void shouldSendToOneWhoBeganToListenThoughNobodyDidBefore() throws IOException {
    InetSocketAddress address = free();
    try (UdpOutput output =
        UdpOutput.open(address, DatagramSize.of(1500, address.getAddress()), 1 << 16, said::add)) {
      assertThat(output.send(datagram('a'))).isTrue();
      try (DatagramSocket receiver = new DatagramSocket(address)) {
        receiver.setSoTimeout(LIMIT_MS);
        assertThat(output.send(datagram('b'))).isTrue();
        DatagramPacket received = new DatagramPacket(new byte[9], 9);
        receiver.receive(received);
        assertThat(received.getLength()).isEqualTo(1);
        assertThat(received.getData()[0]).isEqualTo((byte) 'b');
      }
      assertThat(output.unreachable()).isEqualTo(1);
      assertThat(output.datagrams()).isEqualTo(2);
      assertThat(output.unsent()).isZero();
    }
    assertThat(said).hasSize(1).first().asString().startsWith("nobody listens at 127.0.0.1:");
  }
}
