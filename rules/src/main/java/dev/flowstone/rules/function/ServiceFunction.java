// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

/** What becomes of the packets of a rule. */
public sealed interface ServiceFunction
    permits Pass, Drop, Aggregate, Sample, Histogram, Anomaly, UserFunction {

  /** As a rules file calls it. */
  String name();
}
