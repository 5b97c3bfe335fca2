// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.tap.command.CommandRunner;
import dev.flowstone.tap.command.OutputFile;
import dev.flowstone.tap.command.Terminal;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./flowstone demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description =
        "Packets, ring files, Flink, Kafka: the whole way on this machine, with every stage's counters.")
public final class DemoCommand implements Callable<Integer> {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");

  /** Of Flink, the tap and the broker; the broker's lie in a folder of their own. */
  private static final Set<String> LOGS =
      Set.of("flink.log", "tap.err", "kafka", "broker.log", "broker.out");

  private static final int NOT_BALANCED = 1;
  private static final int MOST_PORT = 65_535;

  @Mixin private DemoOptions options;

  @Override
  public Integer call() throws Exception {
    options.traffic.requireSense();
    options.report.ifPresent(OutputFile::requireWritable);
    requireFreePort(options.webPort, "--web-port");
    requireFreePort(options.kafkaPort, "--kafka-port");
    Path folder = Files.createTempDirectory("flowstone-demo-");
    System.setProperty("flowstone.log", folder.resolve("flink.log").toString());
    RingDirectory rings = new RingDirectory(ringFolder(folder));
    StageTable table = new StageTable(System.out, Terminal.isAttached());
    StopSignals signals = StopSignals.listen(status -> giveUp(status, rings, folder));
    try {
      boolean balanced = new DemoRun(options, folder, rings, table, signals).run();
      delete(folder);
      return exitStatus(balanced, signals);
    } catch (TapFailedException e) {
      delete(folder);
      throw e;
    } catch (Exception e) {
      keepLogs(folder);
      throw e;
    } finally {
      rings.delete();
    }
  }

  private static int exitStatus(boolean balanced, StopSignals signals) {
    if (!balanced) {
      return NOT_BALANCED;
    }
    return signals.isStopping() ? signals.exitStatus() : 0;
  }

  /** Something hangs: nothing of the demo is to stay but this process's last words. */
  private static void giveUp(int status, RingDirectory rings, Path folder) {
    System.err.println("stopped at once; what was under way is not accounted for");
    try {
      ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
      rings.delete();
      delete(folder);
    } catch (IOException | RuntimeException e) {
      System.err.println("not all could be removed: " + Reason.of(e));
    } finally {
      Runtime.getRuntime().halt(status);
    }
  }

  /** What failed may say more there than fits a line. */
  private static void keepLogs(Path folder) throws IOException {
    delete(folder, file -> LOGS.contains(file.getFileName().toString()));
    System.err.println("logs: " + folder);
  }

  private static Path ringFolder(Path folder) {
    String name = "flowstone-demo-" + ProcessHandle.current().pid();
    return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY.resolve(name) : folder.resolve("rings");
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

  private static void delete(Path folder) throws IOException {
    delete(folder, file -> false);
    Files.delete(folder);
  }

  /** What is in the folder, but for what is to be kept. */
  private static void delete(Path folder, Predicate<Path> kept) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        if (!file.equals(folder) && !kept.test(file)) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new DemoCommand(), arguments));
  }
}
