// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.function.UserFunction;
import java.util.Locale;
import org.apache.flink.util.OutputTag;

/** Which operator a rule's packets go to. */
public enum FunctionKind {
  /** Packets go on as packets: all, or a sample of them. */
  PASS,
  AGGREGATE,
  HISTOGRAM,
  ANOMALY,
  USER,
  /** None. */
  DROP;

  public static FunctionKind of(ServiceFunction function) {
    return switch (function) {
      case Pass _, Sample _ -> PASS;
      case Aggregate _ -> AGGREGATE;
      case Histogram _ -> HISTOGRAM;
      case Anomaly _ -> ANOMALY;
      case UserFunction _ -> USER;
      case Drop _ -> DROP;
    };
  }

  /** Of the operator's output that has its packets. */
  OutputTag<RuledBlock> tag() {
    return new OutputTag<>("packets-to-" + name().toLowerCase(Locale.ROOT), RuledBlock.TYPE);
  }
}
