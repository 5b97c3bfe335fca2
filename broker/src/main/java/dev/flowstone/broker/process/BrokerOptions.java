// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker.process;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a broker process is started with.
 *
 * @param directory data and log folder; the caller's, never deleted by the broker
 * @param port for clients on 127.0.0.1; 0: any free one
 * @param retentionBytes about how much of each partition is kept; empty: everything
 * @param properties a file with properties of Kafka, which take precedence over those of the broker
 */
public record BrokerOptions(
    Path directory, int port, OptionalLong retentionBytes, Optional<Path> properties) {
  private static final int ANY_PORT = 0;

  /** A broker on any free port that keeps everything. */
  public static BrokerOptions in(Path directory) {
    return new BrokerOptions(directory, ANY_PORT, OptionalLong.empty(), Optional.empty());
  }

  public BrokerOptions onPort(int clientPort) {
    return new BrokerOptions(directory, clientPort, retentionBytes, properties);
  }

  public BrokerOptions keepingBytes(long bytesPerPartition) {
    return new BrokerOptions(directory, port, OptionalLong.of(bytesPerPartition), properties);
  }

  public BrokerOptions withProperties(Path file) {
    return new BrokerOptions(directory, port, retentionBytes, Optional.of(file));
  }
}
