// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchEncoder;
import java.time.Duration;
import picocli.CommandLine.Option;

/** What the messages are like that carry packets. */
public final class PacketBatchOptions {
  /** More is no waiting for packets any more. */
  private static final long MOST_WAIT_MS = 60_000;

  @Option(
      names = "--body",
      paramLabel = "columns|raw",
      defaultValue = "columns",
      description =
          "columns: a fifth to a tenth of the bytes; raw: records as they are. Default ${DEFAULT-VALUE}.")
  public BodyKind body = BodyKind.COLUMNS;

  @Option(
      names = "--batch-packets",
      paramLabel = "N",
      defaultValue = "16000",
      description =
          "Most packets in a message; 16000 raw records fit the default max.message.bytes. Default ${DEFAULT-VALUE}.")
  public int packets = 16_000;

  @Option(
      names = "--batch-wait-ms",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "How long a message waits for its packets when they come slowly. More: fewer and larger"
              + " messages. Default ${DEFAULT-VALUE}.")
  public long waitMs = 50;

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    AllowedRange.require("--batch-packets", packets, 1, PacketBatchEncoder.MAX_COUNT);
    AllowedRange.require("--batch-wait-ms", waitMs, 0, MOST_WAIT_MS);
  }

  public Duration longestWait() {
    return Duration.ofMillis(waitMs);
  }
}
