// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import java.io.Serializable;

/** A result of nothing but its number: two of three have a second key, some share a time. */
record Counted(String kind, long number) implements Result, Serializable {
  private static final long BEGIN_NS = 1_700_000_000_000_000_001L;

  @Override
  public RuleTag rule() {
    return RuleTag.of("every, \"one\"");
  }

  @Override
  public long timeNs() {
    return BEGIN_NS + number / 10;
  }

  String first() {
    return "a=" + number % 10;
  }

  String second() {
    return number % 3 == 0 ? "" : "b\n" + number % 7;
  }

  @Override
  public void describe(ResultFields fields) {
    fields.key("first", first());
    if (!second().isEmpty()) {
      fields.key("second", second());
    }
    fields.number("number", number);
  }
}
