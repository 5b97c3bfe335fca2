// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.tap.IpCommand;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Two networks of this test's own with a cable between them, in place of two hosts: what sends is
 * in the one, what receives in the other. Gone when closed.
 */
final class TwoHosts implements AutoCloseable {
  private static final String NETWORK = "192.0.2.0/24";
  static final String RECEIVER = "192.0.2.2";
  private static final String SENDER = "192.0.2.1";
  static final String SENDING_INTERFACE = "sends0";
  private static final String RECEIVING_INTERFACE = "takes0";

  private final String sending = "flowstone-sends-" + ProcessHandle.current().pid();
  private final String receiving = "flowstone-takes-" + ProcessHandle.current().pid();
  private final Path folder;
  private final List<ChildProcess> started = new ArrayList<>();

  private TwoHosts(Path folder) {
    this.folder = folder;
  }

  /** Makes them; skips the test where that cannot be done. */
  static TwoHosts make(Path folder, int mtu) throws IOException, InterruptedException {
    TwoHosts hosts = new TwoHosts(folder);
    IpCommand.makeNamespace(hosts.sending);
    try {
      IpCommand.makeNamespace(hosts.receiving);
      hosts.connect(mtu);
      return hosts;
    } catch (IOException e) {
      hosts.close();
      throw e;
    }
  }

  private void connect(int mtu) throws IOException, InterruptedException {
    IpCommand.run(
        sending,
        "link",
        "add",
        SENDING_INTERFACE,
        "mtu",
        "" + mtu,
        "type",
        "veth",
        "peer",
        "name",
        RECEIVING_INTERFACE,
        "mtu",
        "" + mtu,
        "netns",
        receiving);
    setUp(sending, SENDING_INTERFACE, SENDER);
    setUp(receiving, RECEIVING_INTERFACE, RECEIVER);
  }

  private static void setUp(String namespace, String device, String address)
      throws IOException, InterruptedException {
    IpCommand.run(namespace, "addr", "add", address + "/24", "dev", device);
    IpCommand.run(namespace, "link", "set", device, "up");
    IpCommand.run(namespace, "link", "set", "lo", "up");
  }

  /** Lets no longer packets leave than that, though the interface would: so a router has said. */
  void narrowPath(int mtu) throws IOException, InterruptedException {
    IpCommand.run(
        sending,
        "route",
        "replace",
        NETWORK,
        "dev",
        SENDING_INTERFACE,
        "src",
        SENDER,
        "mtu",
        "" + mtu);
  }

  ChildProcess send(String... arguments) throws IOException {
    return start("forward", TapCommand.class.getName(), sending, arguments);
  }

  ChildProcess receive(String... arguments) throws IOException {
    return start("receive", TapCommand.class.getName(), receiving, arguments);
  }

  ChildProcess relay(String... arguments) throws IOException {
    return start("relay", LossyRelay.class.getName(), receiving, arguments);
  }

  private ChildProcess start(String name, String main, String namespace, String... arguments)
      throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    if (!name.equals("relay")) {
      all.addFirst(name);
    }
    Path output = Files.createDirectory(folder.resolve(name + "-" + started.size()));
    ChildProcess process =
        ChildProcess.start(
            JavaProgram.of(name, main, all)
                .withJvmOptions(
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx128m")
                .withLauncher(IpCommand.launcher(namespace)),
            ChildOutput.gatheredIn(output));
    started.add(process);
    return process;
  }

  @Override
  public void close() throws IOException {
    started.forEach(ChildProcess::close);
    IpCommand.removeNamespace(sending);
    IpCommand.removeNamespace(receiving);
  }
}
