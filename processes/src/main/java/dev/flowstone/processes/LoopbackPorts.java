// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;

/**
 * Chooses a server's ports before it starts, for servers that want to be told.
 *
 * <p>Ports chosen here lie below the range from which Linux serves outgoing connections, so that
 * nothing takes one by accident between this check and the server's own bind; and another server
 * that is started so in the same moment claims others.
 */
public final class LoopbackPorts {
  public static final String HOST = "127.0.0.1";

  private static final int FIRST_PORT = 20_000;
  private static final int END_PORT = 32_000;
  private static final int MAX_ATTEMPTS = 100;

  /**
   * Not every server could bind a TCP port that is kept for it; the UDP port of the same number can
   * be kept, and says the same to all who ask for it as well. The kernel gives it back with the
   * process.
   */
  private static final Queue<DatagramSocket> CLAIMS = new ConcurrentLinkedQueue<>();

  private LoopbackPorts() {}

  /** False: another server has it, or is about to. */
  static boolean claim(int port) {
    try {
      CLAIMS.add(new DatagramSocket(port, InetAddress.ofLiteral(HOST)));
      return true;
    } catch (SocketException claimed) {
      return false;
    }
  }

  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.ofLiteral(HOST), port));
      return true;
    } catch (IOException busy) {
      return false;
    }
  }

  /** No other server takes it that asks meanwhile, or later while this process lives. */
  public static int claimFree() throws IOException {
    RandomGenerator random = RandomGenerator.getDefault();
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      int port = random.nextInt(FIRST_PORT, END_PORT);
      if (claim(port) && isFree(port)) {
        return port;
      }
    }
    throw new IOException(
        "no free port in %d..%d on %s after %d attempts; name one yourself"
            .formatted(FIRST_PORT, END_PORT - 1, HOST, MAX_ATTEMPTS));
  }
}
