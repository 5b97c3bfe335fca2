// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

/**
 * Something that a function found out. Made of packets alone, no wall clock and no random number:
 * whoever does the work again after a failure writes the same bytes; reports of what stages count
 * are the exception. Kind, rule, time and keys name it; a store that is told one twice keeps one.
 */
public interface Result {
  /**
   * What it is, in snake_case: names its schema and, in a time-series store, its table. What a
   * user's function tells has a kind that none of Flowstone's has.
   */
  String kind();

  RuleTag rule();

  /** Event time, UTC nanoseconds: of an interval its end. */
  long timeNs();

  void describe(ResultFields fields);
}
