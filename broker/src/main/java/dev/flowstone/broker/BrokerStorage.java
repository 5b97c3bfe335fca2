// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * The folder in which the broker keeps its partitions and metadata; formatted once, then kept
 * across restarts.
 */
record BrokerStorage(Path directory) {

  /** Kafka writes this file last when it formats a folder. */
  private static final String FORMATTED_MARK = "meta.properties";

  void formatIfNew() throws Exception {
    if (Files.exists(directory.resolve(FORMATTED_MARK))) {
      return;
    }
    Files.createDirectories(directory);
    new Formatter()
        .setPrintStream(new PrintStream(PrintStream.nullOutputStream(), false, UTF_8))
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(BrokerConfiguration.NODE_ID)
        .setControllerListenerName(BrokerConfiguration.CONTROLLER_LISTENER)
        .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
        .addDirectory(directory.toString())
        .setMetadataLogDirectory(directory.toString())
        .run();
  }
}
