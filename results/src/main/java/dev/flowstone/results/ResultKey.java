// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import java.util.List;
import java.util.StringJoiner;
import java.util.function.BiConsumer;

/** What names the subject of a result as one text: results about the same thing have the same. */
public final class ResultKey implements ResultFields {
  private final StringJoiner text = new StringJoiner(" ");

  private ResultKey() {}

  public static String of(Result result) {
    ResultKey key = new ResultKey();
    key.text.add(result.rule().name());
    result.describe(key);
    return key.text.toString();
  }

  @Override
  public void key(String name, String value) {
    text.add(value);
  }

  @Override
  public void key(String name, long value) {
    text.add(Long.toString(value));
  }

  @Override
  public void number(String name, long value) {}

  @Override
  public void number(String name, double value) {}

  @Override
  public void text(String name, String value) {}

  @Override
  public <T> void list(String name, List<T> items, BiConsumer<T, ResultFields> item) {}
}
