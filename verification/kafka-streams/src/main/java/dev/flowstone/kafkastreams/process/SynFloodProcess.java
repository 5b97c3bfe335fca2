// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.kafkastreams.process;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.ClassPathList;
import dev.flowstone.processes.JavaProgram;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The field's program against SYN floods as a process of its own, so that Kafka Streams and its
 * RocksDB meet none of Flink's. It reads so many packets, one in each message, and ends.
 *
 * <p>Whoever starts it closes it; should that process die first, the program stops as well. One
 * thread.
 */
public final class SynFloodProcess implements AutoCloseable {
  private static final String MAIN_CLASS = "dev.flowstone.kafkastreams.SynFloodProgram";
  private static final String LIST_NAME = "kafka-streams.classpath";

  private final ChildProcess process;

  private SynFloodProcess(ChildProcess process) {
    this.process = process;
  }

  /**
   * Starts it.
   *
   * @param folder its state, and what it says; the caller's, never deleted here
   * @param packetsTopic one packet in each message
   * @param resultsTopic {@code BEGIN_MS DESTINATION} and a count, both as text; the last one counts
   * @param packets after which it ends
   */
  public static SynFloodProcess start(
      Path folder, String brokers, String packetsTopic, String resultsTopic, long packets)
      throws IOException {
    Files.createDirectories(folder);
    List<String> arguments =
        List.of(brokers, packetsTopic, resultsTopic, Long.toString(packets), folder.toString());
    return new SynFloodProcess(
        ChildProcess.start(
            JavaProgram.of("kafka-streams", MAIN_CLASS, arguments)
                .withClassPath(classPath())
                .withJvmOptions(
                    "-Xmx512m",
                    "-XX:+UseParallelGC",
                    "--enable-native-access=ALL-UNNAMED",
                    "--sun-misc-unsafe-memory-access=allow"),
            ChildOutput.answeringBeside(folder)));
  }

  private static String classPath() throws IOException {
    Path own = ownClasses();
    Path list = own.resolveSibling(LIST_NAME);
    if (!Files.exists(list)) {
      throw new IOException(
          "%s is missing; build it with: mvn -pl verification/kafka-streams package -DskipTests"
              .formatted(list));
    }
    return own + File.pathSeparator + ClassPathList.read(list);
  }

  private static Path ownClasses() throws IOException {
    try {
      return Path.of(
          SynFloodProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException location) {
      throw new IOException(
          "the classes of module kafka-streams are not in a folder or jar on this machine",
          location);
    }
  }

  /**
   * How many packets it has read by now, as it says some times a second; all of them once all
   * results are in their topic. Empty: it has ended.
   */
  public OptionalLong awaitProgress() throws IOException {
    String line = process.answers().readLine();
    return line == null ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(line));
  }

  /** Returns when it has read all packets and all results are in their topic. */
  public void awaitAll(long packets) throws IOException {
    long read;
    do {
      read = awaitProgress().orElseThrow(this::ended);
    } while (read < packets);
  }

  /** Why it says nothing any more. */
  public IOException ended() {
    try {
      process.awaitEnd(ChildProcess.KILL_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.close();
    return new IOException(process.explainEnd());
  }

  public ProcessHandle handle() {
    return process.handle();
  }

  /** Stops it and returns when its process is gone. */
  @Override
  public void close() {
    process.close();
  }
}
