// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.tap.IpCommand;
import java.io.IOException;
import java.util.Arrays;

/** A network of this test's own, with one pair of interfaces; gone when closed. */
final class NetworkNamespace implements AutoCloseable {
  static final String INTERFACE = "probe0";

  private static final String OTHER_END = "probe1";
  private static final String NEIGHBOUR = "192.0.2.2";

  private final String name = "flowstone-test-" + ProcessHandle.current().pid();

  private NetworkNamespace() {}

  /** Makes one; skips the test where that cannot be done. */
  static NetworkNamespace make() throws IOException, InterruptedException {
    NetworkNamespace made = new NetworkNamespace();
    IpCommand.makeNamespace(made.name);
    return made;
  }

  /** Makes the pair of interfaces, which can send to a neighbour that does not exist. */
  void makeInterface() throws IOException, InterruptedException {
    run("link", "add", INTERFACE, "type", "veth", "peer", "name", OTHER_END);
    run("link", "set", INTERFACE, "up");
    run("link", "set", OTHER_END, "up");
    run("addr", "add", "192.0.2.1/24", "dev", INTERFACE);
    run("neigh", "add", NEIGHBOUR, "lladdr", "02:00:00:00:00:02", "dev", INTERFACE);
  }

  /** As {@link #makeInterface}; closes itself where that fails. */
  NetworkNamespace withInterface() throws IOException, InterruptedException {
    try {
      makeInterface();
      return this;
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  void removeInterface() throws IOException, InterruptedException {
    run("link", "del", INTERFACE);
  }

  void setDown() throws IOException, InterruptedException {
    run("link", "set", INTERFACE, "down");
  }

  void setUp() throws IOException, InterruptedException {
    run("link", "set", INTERFACE, "up");
  }

  /** Sends that many datagrams to port 9. */
  void send(int datagrams) throws IOException, InterruptedException {
    sendTo(9, datagrams);
  }

  /** Sends that many datagrams, each of a flow of its own. */
  void sendTo(int port, int datagrams) throws IOException, InterruptedException {
    sendFlows(port, datagrams, 1);
  }

  void sendFlows(int port, int flows, int datagramsOfEach)
      throws IOException, InterruptedException {
    String loop =
        "for i in $(seq %d); do for j in $(seq %d); do echo x; done > /dev/udp/%s/%d; done"
            .formatted(flows, datagramsOfEach, NEIGHBOUR, port);
    IpCommand.require("ip", "netns", "exec", name, "bash", "-c", loop);
  }

  /** Leaves the interface as one long frame, to be cut into datagrams by the card. */
  void sendMerged(int datagrams, int payloadBytes) throws IOException, InterruptedException {
    assumeTrue(IpCommand.succeeds("python3", "--version"), "SKIPPED: no python3");
    String program =
        "import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
            + " s.setsockopt(socket.IPPROTO_UDP, 103, %d); s.sendto(bytes(%d), ('%s', 9))"
                .formatted(payloadBytes, datagrams * payloadBytes, NEIGHBOUR);
    IpCommand.require("ip", "netns", "exec", name, "python3", "-c", program);
  }

  /** Has frames with a VLAN tag arrive at the interface. */
  void receiveTagged(int vlan, int frames) throws IOException, InterruptedException {
    assumeTrue(IpCommand.succeeds("python3", "--version"), "SKIPPED: no python3");
    String program =
        ("import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('%s', 0));"
                + " [s.send((b'\\xff' * 6 + bytes(6) + bytes.fromhex('8100%04x0800')).ljust(99, b'E'))"
                + " for n in range(%d)]")
            .formatted(OTHER_END, vlan, frames);
    IpCommand.require("ip", "netns", "exec", name, "python3", "-c", program);
  }

  /** Sends frames of that length, each with two VLAN tags, whatever the MTU before and after. */
  void sendDoubleTagged(int... frameBytes) throws IOException, InterruptedException {
    assumeTrue(IpCommand.succeeds("python3", "--version"), "SKIPPED: no python3");
    run("link", "set", OTHER_END, "mtu", "2000");
    run("link", "set", INTERFACE, "mtu", "2000");
    String program =
        ("import socket; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind(('%s', 0));"
                + " tags = bytes.fromhex('88a8000a8100000b');"
                + " [s.send((bytes(12) + tags).ljust(n, b'.')) for n in %s]")
            .formatted(INTERFACE, Arrays.toString(frameBytes));
    IpCommand.require("ip", "netns", "exec", name, "python3", "-c", program);
    run("link", "set", INTERFACE, "mtu", "1500");
  }

  /** The command that becomes a program in it. */
  String[] launcher() {
    return IpCommand.launcher(name);
  }

  private void run(String... arguments) throws IOException, InterruptedException {
    IpCommand.run(name, arguments);
  }

  @Override
  public void close() throws IOException {
    IpCommand.removeNamespace(name);
  }
}
