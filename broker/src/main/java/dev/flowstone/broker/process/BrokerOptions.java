// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker.process;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * What a broker process is started with.
 *
 * @param directory data and log folder; the caller's, never deleted by the broker
 * @param port for clients on 127.0.0.1; 0: any free one
 * @param retentionBytes about how much of each partition is kept; empty: everything
 */
public record BrokerOptions(Path directory, int port, OptionalLong retentionBytes) {
  private static final int ANY_PORT = 0;

  /** A broker on any free port that keeps everything. */
  public static BrokerOptions in(Path directory) {
    return new BrokerOptions(directory, ANY_PORT, OptionalLong.empty());
  }

  public BrokerOptions onPort(int clientPort) {
    return new BrokerOptions(directory, clientPort, retentionBytes);
  }

  public BrokerOptions keepingBytes(long bytesPerPartition) {
    return new BrokerOptions(directory, port, OptionalLong.of(bytesPerPartition));
  }
}
