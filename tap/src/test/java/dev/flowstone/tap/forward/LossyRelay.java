// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Random;

/**
 * A bad network as a process: passes datagrams on, but for some that it loses, some that it sends
 * twice and some that others overtake. Arguments: port, port to pass on to on this host, seed, how
 * many of a thousand it loses and doubles, how many overtake one at most. Ends with its standard
 * input, and says then what it did.
 */
final class LossyRelay {
  private static final int IN_ALL = 1000;
  private static final int IDLE_MS = 5;
  private static final int SOCKET_BYTES = 4 << 20;

  private final Random random;
  private final DatagramSocket in;
  private final DatagramSocket out = new DatagramSocket();
  private final InetSocketAddress to;
  private final int lostOfThousand;
  private final int doubledOfThousand;
  private final int mostOvertaking;

  private DatagramPacket held;
  private int overtaking;
  private long passed;
  private long lost;
  private long doubled;
  private long overtaken;

  private LossyRelay(String[] arguments) throws IOException {
    in = new DatagramSocket(Integer.parseInt(arguments[0]));
    in.setReceiveBufferSize(SOCKET_BYTES);
    in.setSoTimeout(IDLE_MS);
    to = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
    random = new Random(Long.parseLong(arguments[2]));
    lostOfThousand = Integer.parseInt(arguments[3]);
    doubledOfThousand = Integer.parseInt(arguments[4]);
    mostOvertaking = Integer.parseInt(arguments[5]);
  }

  public static void main(String[] arguments) throws IOException {
    LossyRelay relay = new LossyRelay(arguments);
    Thread.ofPlatform().daemon().start(relay::passOn);
    System.err.println("passes on");
    while (System.in.read() >= 0) {
      // Until it ends.
    }
    System.err.printf(
        "passed %d lost %d doubled %d overtaken %d%n",
        relay.passed, relay.lost, relay.doubled, relay.overtaken);
    System.exit(0);
  }

  private void passOn() {
    byte[] bytes = new byte[1 << 16];
    while (true) {
      DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
      try {
        in.receive(packet);
        byte[] own = Arrays.copyOf(bytes, packet.getLength());
        mistreat(new DatagramPacket(own, own.length, to));
      } catch (SocketTimeoutException idle) {
        release();
      } catch (IOException nobodyListens) {
        // As in any network.
      }
    }
  }

  private void mistreat(DatagramPacket packet) throws IOException {
    if (random.nextInt(IN_ALL) < lostOfThousand) {
      lost++;
      return;
    }
    if (held == null && mostOvertaking > 0 && random.nextInt(IN_ALL) < doubledOfThousand) {
      held = packet;
      overtaking = 1 + random.nextInt(mostOvertaking);
      return;
    }
    send(packet);
    if (random.nextInt(IN_ALL) < doubledOfThousand) {
      doubled++;
      send(packet);
    }
    if (held != null && --overtaking == 0) {
      overtaken++;
      release();
    }
  }

  private void release() {
    if (held != null) {
      DatagramPacket released = held;
      held = null;
      try {
        send(released);
      } catch (IOException nobodyListens) {
        // As in any network.
      }
    }
  }

  private void send(DatagramPacket packet) throws IOException {
    passed++;
    out.send(packet);
  }
}
