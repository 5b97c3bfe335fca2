// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker.process;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.processes.Patience;
import dev.flowstone.processes.ServerProcess;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Kafka broker as a process of its own, so that none of its jars meet those of a job.
 *
 * <p>Whoever starts it closes it; should that process die first, the broker stops as well. Any
 * thread may call any method.
 */
public final class BrokerProcess implements ServerProcess {
  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final String LOG_FILE = "broker.log";
  private static final String NO_ROOM = "No space left on device";
  private static final long LEAST_ROOM_BYTES = 1 << 20;
  private static final String MAIN_CLASS = "dev.flowstone.broker.KafkaBroker";

  private final ChildProcess process;
  private final Path log;
  private final String address;

  private BrokerProcess(ChildProcess process, Path log, String address) {
    this.process = process;
    this.log = log;
    this.address = address;
  }

  /**
   * Starts a broker and returns when it accepts connections.
   *
   * @throws IOException if it does not come up; the message holds the broker's own words
   */
  public static BrokerProcess start(BrokerOptions options)
      throws IOException, InterruptedException {
    Path directory = Files.createDirectories(options.directory()).toAbsolutePath();
    Path readyFile = directory.resolve("ready");
    Path log = directory.resolve(LOG_FILE);
    Files.deleteIfExists(readyFile);
    ChildProcess process =
        ChildProcess.start(
            program(options, directory, readyFile), ChildOutput.gatheredIn(directory));
    try {
      awaitReady(process, readyFile, log);
      return new BrokerProcess(process, log, Files.readString(readyFile));
    } catch (IOException | InterruptedException notStarted) {
      process.close();
      throw notStarted;
    }
  }

  /** What Kafka clients call {@code bootstrap.servers}. */
  public String bootstrapServers() {
    return address;
  }

  public int port() {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  @Override
  public ProcessHandle handle() {
    return process.handle();
  }

  /** Throws with the reason if it has ended, such as a full disk that its log speaks of. */
  @Override
  public void requireRunning() throws IOException {
    if (!process.isAlive()) {
      throw ended(process, log);
    }
  }

  /** Stops the broker and returns when its process is gone. */
  @Override
  public void close() {
    process.close();
  }

  private static JavaProgram program(BrokerOptions options, Path directory, Path readyFile)
      throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("--dir", directory.toString()));
    arguments.addAll(List.of("--port", Integer.toString(options.port())));
    arguments.addAll(List.of("--ready-file", readyFile.toString()));
    options
        .retentionBytes()
        .ifPresent(bytes -> arguments.addAll(List.of("--log-retention-bytes", "" + bytes)));
    options
        .properties()
        .ifPresent(file -> arguments.addAll(List.of("--properties", file.toString())));
    return JavaProgram.of("broker", MAIN_CLASS, arguments)
        .withClassPath(BrokerClassPath.read())
        .withJvmOptions(
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");
  }

  private static void awaitReady(ChildProcess process, Path readyFile, Path log)
      throws IOException, InterruptedException {
    Patience patience = new Patience(START_PATIENCE);
    while (!Files.exists(readyFile)) {
      if (process.awaitEnd(POLL_INTERVAL)) {
        throw ended(process, log);
      }
      if (patience.isOver(process.work())) {
        throw new IOException(
            "the broker does not get ready: it has done nothing for %d s; see %s"
                .formatted(START_PATIENCE.toSeconds(), log));
      }
    }
  }

  private static IOException ended(ChildProcess process, Path log) throws IOException {
    String reason = process.explainEnd() + firstErrorOf(log);
    FileStore disk = Files.getFileStore(log.getParent());
    if (reason.contains(NO_ROOM) || disk.getUsableSpace() < LEAST_ROOM_BYTES) {
      return new IOException(
          "the broker ended because there is no room left for its messages: %s (%s, %,d MiB in all)"
              .formatted(log.getParent(), disk.type(), disk.getTotalSpace() >> 20));
    }
    return new IOException(reason);
  }

  /** What it could not print any more may stand in its log. */
  private static String firstErrorOf(Path log) throws IOException {
    if (!Files.exists(log)) {
      return "";
    }
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .filter(line -> line.contains("ERROR"))
          .findFirst()
          .map(error -> "; first error of its log: " + error)
          .orElse("");
    }
  }
}
