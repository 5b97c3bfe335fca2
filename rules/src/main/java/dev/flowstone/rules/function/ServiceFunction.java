// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import dev.flowstone.rules.Match;

/** What becomes of the packets of a rule. */
public sealed interface ServiceFunction
    permits Pass, Drop, Aggregate, Sample, Histogram, Anomaly, UserFunction {

  /** As a rules file calls it. */
  String name();

  /** What a rule's packets become. */
  enum Output {
    /** Packets go on as packets, all or some of them. */
    PACKETS("packets"),
    /** Something that was found of them, in place of packets. */
    RESULTS("results"),
    NOTHING("nothing");

    private final String words;

    Output(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }
  }

  /** What it gives; one topic takes one kind. */
  default Output output() {
    return switch (this) {
      case Pass _, Sample _ -> Output.PACKETS;
      case Drop _ -> Output.NOTHING;
      case Aggregate _, Histogram _, Anomaly _, UserFunction _ -> Output.RESULTS;
    };
  }

  /** Throws if it could never do what it is for with the packets of the match. */
  default void requireFedBy(Match match) {}
}
