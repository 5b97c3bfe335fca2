// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/** A sender of a tap's packets and their receiver, which serve their metrics. */
record TwoEnds(RunningTap sender, RunningTap receiver) implements AutoCloseable {

  /** Returns when both serve metrics. */
  static TwoEnds start(Project project, Path folder, Path rings, Path received) throws Exception {
    int port = freePort();
    RunningTap receiver =
        RunningTap.receiver(
            project, Files.createDirectory(folder.resolve("receive")), received, port);
    try {
      return new TwoEnds(
          RunningTap.sender(project, Files.createDirectory(folder.resolve("forward")), rings, port),
          receiver);
    } catch (Exception e) {
      receiver.close();
      throw e;
    }
  }

  private static int freePort() throws Exception {
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    sender.close();
    receiver.close();
  }
}
