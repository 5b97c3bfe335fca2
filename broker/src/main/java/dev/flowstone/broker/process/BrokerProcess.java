// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker.process;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Kafka broker as a process of its own, so that none of its jars meet those of a job.
 *
 * <p>Whoever starts it closes it; should that process die first, the broker sees its standard input
 * end and stops as well. Any thread may call any method.
 */
public final class BrokerProcess implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final long POLL_INTERVAL_MS = 20;
  private static final String LOG_FILE = "broker.log";
  private static final String MAIN_CLASS = "dev.flowstone.broker.KafkaBroker";
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xmx384m",
          "-XX:+UseSerialGC",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow");

  private final Process process;
  private final String address;

  private BrokerProcess(Process process, String address) {
    this.process = process;
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
    Path output = directory.resolve("broker.out");
    Files.deleteIfExists(readyFile);
    Process process =
        new ProcessBuilder(command(options, directory, readyFile))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      awaitReady(process, readyFile, output);
      return new BrokerProcess(process, Files.readString(readyFile));
    } catch (IOException | InterruptedException notStarted) {
      stop(process);
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

  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** Stops the broker and returns when its process is gone. */
  @Override
  public void close() {
    stop(process);
  }

  private static List<String> command(BrokerOptions options, Path directory, Path readyFile)
      throws IOException {
    List<String> command = new ArrayList<>();
    // A session of its own: Ctrl-C in a terminal is for the caller, who then stops the broker in
    // order.
    command.add("setsid");
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM_OPTIONS);
    command.addAll(List.of("-cp", BrokerClassPath.read(), MAIN_CLASS));
    command.addAll(List.of("--dir", directory.toString()));
    command.addAll(List.of("--port", Integer.toString(options.port())));
    command.addAll(List.of("--ready-file", readyFile.toString(), "--stop-on-stdin-end"));
    options
        .retentionBytes()
        .ifPresent(bytes -> command.addAll(List.of("--log-retention-bytes", "" + bytes)));
    return command;
  }

  private static void awaitReady(Process process, Path readyFile, Path output)
      throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + START_LIMIT.toNanos();
    while (!Files.exists(readyFile)) {
      if (process.waitFor(POLL_INTERVAL_MS, MILLISECONDS)) {
        throw new IOException(
            "the broker ended with exit code %d: %s"
                .formatted(process.exitValue(), lastWords(output)));
      }
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            "the broker is not ready after %d s; see %s"
                .formatted(START_LIMIT.toSeconds(), output.resolveSibling(LOG_FILE)));
      }
    }
  }

  /** What it printed; when it printed nothing, the first error in its log. */
  private static String lastWords(Path output) throws IOException {
    String said = Files.readString(output).strip();
    Path log = output.resolveSibling(LOG_FILE);
    if (!said.isEmpty() || !Files.exists(log)) {
      return said.isEmpty() ? "it said nothing" : said;
    }
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains("ERROR")).findFirst().orElse("see " + log);
    }
  }

  private static void stop(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(STOP_LIMIT.toSeconds(), SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
