// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * One broker for all tests of this JVM that do not stop it. The first caller starts the broker. It
 * ends with the JVM, and its folder is deleted then.
 *
 * <p>A test names its topics, transaction prefixes and consumer groups after itself. Any thread may
 * call.
 */
public final class SharedBroker {
  private static SharedBroker shared;

  private final Path folder;
  private final BrokerProcess process;

  private SharedBroker(Path folder, BrokerProcess process) {
    this.folder = folder;
    this.process = process;
  }

  /**
   * Returns what Kafka clients call {@code bootstrap.servers}.
   *
   * @throws IOException if the broker does not start, or has ended
   */
  public static synchronized String bootstrapServers() throws IOException, InterruptedException {
    if (shared == null) {
      shared = start(Files.createTempDirectory("flowstone-shared-broker-"));
      Runtime.getRuntime().addShutdownHook(new Thread(shared::end, "shared-broker"));
    }
    shared.process.requireRunning();
    return shared.process.bootstrapServers();
  }

  private static SharedBroker start(Path folder) throws IOException, InterruptedException {
    try {
      return new SharedBroker(
          folder, BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka"))));
    } catch (IOException | InterruptedException notStarted) {
      delete(folder);
      throw notStarted;
    }
  }

  /** Kills the broker: nothing reads its folder again. */
  private void end() {
    process.handle().destroyForcibly();
    process.handle().onExit().join();
    delete(folder);
  }

  private static void delete(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      List<Path> deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.delete(path);
      }
    } catch (IOException e) {
      System.err.println("warning: cannot delete " + folder + ": " + e);
    }
  }
}
