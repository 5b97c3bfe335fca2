// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.commandline.Terminal;
import dev.flowstone.harness.FatalErrors;
import dev.flowstone.processes.ChildEndedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./flowstone demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Packets, ring files, Flink, Kafka: the whole way on this machine, with every stage's counters.")
public final class DemoCommand implements Callable<Integer> {
  private static final int FAILED = 1;
  private static final int NOT_BALANCED = 1;
  private static final int MOST_PORT = 65_535;

  @Mixin private DemoOptions options;

  @Override
  public Integer call() throws Exception {
    options.traffic.requireSense();
    options.report.ifPresent(OutputFile::requireWritable);
    requireFreePort(options.webPort, "--web-port");
    requireFreePort(options.kafkaPort, "--kafka-port");
    DemoFiles files = DemoFiles.create();
    System.setProperty("flowstone.log", files.flinkLog().toString());
    EmergencyStop emergency = new EmergencyStop(files);
    FatalErrors.listen(error -> emergency.now(FAILED, "flowstone: " + FatalErrors.explain(error)));
    StopSignals signals =
        StopSignals.listen(
            status ->
                emergency.now(status, "stopped at once; what was under way is not accounted for"));
    try {
      boolean balanced = run(files, signals, emergency);
      return exitStatus(balanced, signals);
    } catch (Exception e) {
      if (!hasSaidWhy(e)) {
        files.keepLogs();
      }
      throw e;
    } finally {
      files.remove();
    }
  }

  private boolean run(DemoFiles files, StopSignals signals, EmergencyStop emergency)
      throws Exception {
    StageTable table = new StageTable(System.out, Terminal.isAttached());
    try {
      return new DemoRun(options, files.folder().path(), files.rings(), table, signals).run();
    } catch (InternalError e) {
      throw new IOException(FatalErrors.explain(e), e);
    } finally {
      emergency.leaveTheEndToIt();
    }
  }

  private static boolean hasSaidWhy(Exception e) {
    return e instanceof ChildEndedException ended && ended.hasSaidWhy();
  }

  private static int exitStatus(boolean balanced, StopSignals signals) {
    if (!balanced) {
      return NOT_BALANCED;
    }
    return signals.isStopping() ? signals.exitStatus() : 0;
  }

  private static void requireFreePort(int port, String option) throws IOException {
    if (port < 0 || port > MOST_PORT) {
      throw new IllegalArgumentException(option + " must be 0 to " + MOST_PORT + ": " + port);
    }
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new IOException("port " + port + " is taken; choose another with " + option, e);
    }
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new DemoCommand(), arguments));
  }
}
