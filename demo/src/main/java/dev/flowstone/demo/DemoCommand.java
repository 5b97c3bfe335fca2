// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.commandline.OutputFile;
import dev.flowstone.commandline.StopSignals;
import dev.flowstone.commandline.Terminal;
import dev.flowstone.harness.DiskSpace;
import dev.flowstone.harness.ExitLimit;
import dev.flowstone.harness.FatalErrors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./flowstone demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Packets, ring files, Flink with every function by rules, Kafka, QuestDB: the whole way on this"
            + " machine, with every stage's counters.")
public final class DemoCommand implements Callable<Integer> {
  private static final int FAILED = 1;

  /** For Flink's shutdown hooks, when all else has ended. */
  private static final Duration EXIT_LIMIT = Duration.ofSeconds(20);

  @Mixin private DemoOptions options;

  @Override
  public Integer call() throws Exception {
    options.traffic.requireSense();
    DemoRules.requireSense(options.rules);
    options.report.ifPresent(OutputFile::requireWritable);
    requireFreePort(options.webPort, DemoOptions.WEB_PORT);
    requireFreePort(options.kafkaPort, DemoOptions.KAFKA_PORT);
    if (options.pagePort.isPresent()) {
      requireFreePort(options.pagePort.get(), DemoOptions.PAGE_PORT);
    }
    DemoPlaces places = DemoPlaces.of(options.data);
    Leftovers.sweep(places.all());
    requireRoom(places);
    return run(DemoFiles.create(places));
  }

  private void requireRoom(DemoPlaces places) throws IOException {
    DiskSpace.of(places.rings())
        .require(
            options.traffic.allRingBytes(),
            "the rings",
            "choose smaller ones with --ring-bytes, or remove what takes the room");
    MessageSize messages = new MessageSize(options.traffic.ringCount + DemoRun.RESULTS_PARTITIONS);
    DiskSpace disk = DiskSpace.of(places.data());
    OptionalLong expected =
        messages.bytesOf(options.traffic.packetsPerSecond(), options.traffic.seconds);
    if (expected.isPresent()) {
      disk.require(
          expected.getAsLong(),
          "Kafka's messages",
          "choose fewer --seconds, a lower --rate, or another folder with --data");
    }
    if (!options.noQuestDb) {
      disk.require(
          expected.orElse(0) + ResultStore.LEAST_BYTES,
          "QuestDB's tables beside Kafka's messages",
          "choose another folder with --data, or do without QuestDB: " + DemoOptions.NO_QUESTDB);
    }
    new MessageSpace(disk)
        .warningOf(expected.orElseGet(messages::mostBytes))
        .ifPresent(warning -> System.err.println("warning: " + warning));
  }

  private int run(DemoFiles files) throws Exception {
    System.setProperty("flowstone.log", files.flinkLog().toString());
    EmergencyStop emergency = new EmergencyStop(files);
    Ending ending = new Ending(emergency, files);
    FatalErrors.listen(error -> emergency.now(FAILED, "flowstone: " + FatalErrors.explain(error)));
    StageTable table = new StageTable(System.out, Terminal.isAttached(), Terminal::size);
    StopSignals signals =
        StopSignals.listen(
            "stopping, once the rest has arrived; Ctrl-C again stops at once",
            table::warn,
            status ->
                emergency.now(status, "stopped at once; what was under way is not accounted for"));
    try {
      return new DemoRun(options, files, table, signals, ending).run();
    } catch (Exception | InternalError e) {
      return ending.because(e);
    } finally {
      emergency.leaveTheEndToIt();
      ending.isOver();
      files.remove();
    }
  }

  private static void requireFreePort(int port, String option) throws IOException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    } catch (IOException e) {
      throw new PortTakenException(port, option, e);
    }
  }

  public static void main(String[] arguments) {
    ExitLimit.set(EXIT_LIMIT, FAILED);
    System.exit(CommandRunner.run(new DemoCommand(), arguments));
  }
}
