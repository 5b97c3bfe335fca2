// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.testbed.programs.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The ZooKeeper that Flink brings, as a process of its own. Its maker closes it. */
public final class ZooKeeperServer implements AutoCloseable {
  private static final String MAIN_CLASS =
      "org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServerMain";

  private final ChildProcess process;
  private final String address;

  private ZooKeeperServer(ChildProcess process, String address) {
    this.process = process;
    this.address = address;
  }

  /** Whoever wants it may begin to ask at once. */
  public static ZooKeeperServer start(Path folder) throws IOException {
    Files.createDirectories(folder);
    int port = LoopbackPorts.claimFree();
    Path configuration =
        Files.writeString(
            folder.resolve("zoo.cfg"),
            """
            tickTime=500
            dataDir=%s
            clientPortAddress=%s
            clientPort=%d
            admin.enableServer=false
            """
                .formatted(folder.resolve("data"), LoopbackPorts.HOST, port));
    ChildProcess process =
        ChildProcess.start(
            Programs.of(folder, "zookeeper", MAIN_CLASS, List.of(configuration.toString()))
                .withJvmOptions("-Xmx96m", "-XX:+UseSerialGC"),
            ChildOutput.gatheredIn(folder));
    return new ZooKeeperServer(process, LoopbackPorts.HOST + ":" + port);
  }

  /** What Flink calls its quorum. */
  public String address() {
    return address;
  }

  @Override
  public void close() {
    process.close();
  }
}
