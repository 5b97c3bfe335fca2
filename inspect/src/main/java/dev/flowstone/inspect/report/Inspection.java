// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.report;

import dev.flowstone.inspect.traffic.TrafficSummary;
import dev.flowstone.raw.SourceCounters;

/** What came out of a capture that was asked for. */
public sealed interface Inspection {
  /** The path as it was given. */
  String file();

  /**
   * The answer.
   *
   * @param source what was met while the file was read
   */
  record Answer(String file, TrafficSummary summary, SourceCounters source) implements Inspection {
    public Answer with(TrafficSummary other) {
      return new Answer(file, other, source);
    }
  }

  /** The file has no answer, and why. */
  record Failure(String file, String error) implements Inspection {}
}
