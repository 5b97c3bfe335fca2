// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.report;

import dev.flowstone.jobs.inspect.traffic.SynReport;
import dev.flowstone.jobs.inspect.traffic.TrafficSummary;
import dev.flowstone.raw.SourceCounters;

/** What came out of a capture that was asked for. */
public sealed interface Inspection {
  /** The path as it was given. */
  String file();

  /**
   * The answer.
   *
   * @param summary what the job counted, without the counts of SYNs
   * @param syns the windows of its SYNs
   * @param source what the tap met while it read the file
   */
  record Answer(String file, TrafficSummary summary, SynReport syns, SourceCounters source)
      implements Inspection {}

  /** The file has no answer, and why. */
  record Failure(String file, String error) implements Inspection {}
}
