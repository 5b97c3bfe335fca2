// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import java.util.List;
import java.util.function.BiConsumer;

/** Where a {@link Result} writes what it consists of, field by field. Names are snake_case. */
public interface ResultFields {
  /** Part of what tells this result from others of its kind and time. */
  void key(String name, String value);

  /** The same, where it is a number. */
  void key(String name, long value);

  void number(String name, long value);

  void number(String name, double value);

  void text(String name, String value);

  /** Items that have fields of their own, in the order in which they count. */
  <T> void list(String name, List<T> items, BiConsumer<T, ResultFields> item);
}
