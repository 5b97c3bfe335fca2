// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.jobs.endpoints.AllowedRange;
import picocli.CommandLine.Option;

/** What a job may keep of those that it watches. */
public final class SubjectOptions {
  private static final long LEAST_BYTES = 1 << 20;
  private static final long MOST_BYTES = 1L << 36;

  @Option(
      names = "--watched-bytes",
      paramLabel = "N",
      description =
          "Bytes of each subtask's heap for the addresses (with a port, where the detector has one)"
              + " that are watched: some 400 for one of few packets and every detector that watches"
              + " it, up to 3,000 for each slide of its window for a busy one. Packets of those that"
              + " find no room are counted and in no window. Default ${DEFAULT-VALUE}.")
  public long watchedBytes = Anomalies.USUAL_WATCHED_BYTES;

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    AllowedRange.require("--watched-bytes", watchedBytes, LEAST_BYTES, MOST_BYTES);
  }
}
