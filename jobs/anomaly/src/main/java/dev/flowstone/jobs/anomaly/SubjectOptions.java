// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.jobs.endpoints.AllowedRange;
import picocli.CommandLine.Option;

/** What a job may keep of those that it watches. */
public final class SubjectOptions {
  private static final int MOST_SUBJECTS = 1 << 28;

  @Option(
      names = "--most-subjects",
      paramLabel = "N",
      description =
          "Addresses (with a port, where the detector has one) that one subtask watches at a time,"
              + " each counted once for every detector that watches it; the packets of others are"
              + " counted and in no window. Default ${DEFAULT-VALUE}.")
  public int mostSubjects = Anomalies.USUAL_MOST_SUBJECTS;

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    AllowedRange.require("--most-subjects", mostSubjects, 1, MOST_SUBJECTS);
  }
}
