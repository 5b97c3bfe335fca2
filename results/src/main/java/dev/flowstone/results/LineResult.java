// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * A result as one line of the line protocol, as QuestDB reads it: the rule and each key a symbol,
 * the rest columns, event time in nanoseconds. What is not a number is left out; a list is a text
 * of JSON.
 *
 * <p>All keys together stand in the column {@link #RESULT_KEY} as well: results of one kind may
 * have different keys, and a table wants to be told once which columns tell its rows apart.
 *
 * @param table the result's kind
 * @param line with its end of line
 */
public record LineResult(String table, String line) {
  public static final String TIME = "time";
  public static final String RULE = "rule";
  public static final String RESULT_KEY = "result_key";

  private static final String JOB = "job";

  private static final String FLOW_ID = "flow_id";

  /** Longer names are no file names, which a store makes of them. */
  private static final int LONGEST_NAME = 100;

  private static final Pattern NAME =
      Pattern.compile("[a-z][a-z0-9_]{0,%d}".formatted(LONGEST_NAME - 1));

  /**
   * The line of a result.
   *
   * @param job that tells it: another key, since two jobs may tell of the same things
   * @throws IllegalArgumentException if a table cannot have its fields, as two of one name
   */
  public static LineResult of(Result result, String job) {
    Fields fields = new Fields(result.kind());
    fields.symbol(RULE, result.rule().name());
    if (result.rule().hasFlowId()) {
      fields.number(FLOW_ID, result.rule().flowId());
    }
    result.describe(fields);
    fields.keyOfJob(job);
    return new LineResult(result.kind(), fields.line(result.timeNs()));
  }

  /** Whether a kind or field can be called so. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  private static final class Fields implements ResultFields {
    private final String kind;
    private final Set<String> names = new HashSet<>(Set.of(TIME, RULE, RESULT_KEY));
    private final StringBuilder symbols = new StringBuilder();
    private final StringBuilder keys = new StringBuilder();
    private final StringBuilder columns = new StringBuilder();

    Fields(String kind) {
      this.kind = kind;
      requireName(kind);
    }

    String line(long timeNs) {
      if (!keys.isEmpty()) {
        column(RESULT_KEY);
        quote(keys.substring(1));
      }
      String separator = columns.isEmpty() ? "" : " ";
      return kind + symbols + separator + columns + ' ' + timeNs + '\n';
    }

    /** Unless the result names it itself. */
    void keyOfJob(String job) {
      if (!names.contains(JOB)) {
        key(JOB, job);
      }
    }

    @Override
    public void key(String name, long value) {
      key(name, Long.toString(value));
    }

    @Override
    public void key(String name, String value) {
      claim(name);
      int begin = symbols.length();
      symbol(name, value);
      keys.append(symbols, begin, symbols.length());
    }

    private void symbol(String name, String value) {
      symbols.append(',').append(name).append('=');
      escape(value, " ,=\\\n\r", symbols);
    }

    @Override
    public void number(String name, long value) {
      claimColumn(name);
      column(name);
      columns.append(value).append('i');
    }

    @Override
    public void number(String name, double value) {
      claimColumn(name);
      if (Double.isFinite(value)) {
        column(name);
        columns.append(value);
      }
    }

    @Override
    public void text(String name, String value) {
      claimColumn(name);
      column(name);
      quote(value);
    }

    @Override
    public <T> void list(String name, List<T> items, BiConsumer<T, ResultFields> item) {
      text(name, JsonResult.ofList(items, item));
    }

    private void column(String name) {
      if (!columns.isEmpty()) {
        columns.append(',');
      }
      columns.append(name).append('=');
    }

    private void quote(String value) {
      columns.append('"');
      escape(value, "\"\\\n\r", columns);
      columns.append('"');
    }

    private static void escape(String value, String special, StringBuilder to) {
      for (int i = 0; i < value.length(); i++) {
        char character = value.charAt(i);
        if (special.indexOf(character) >= 0) {
          to.append('\\');
        }
        to.append(character);
      }
    }

    /** Whose job tells it is a key of each row. */
    private void claimColumn(String name) {
      if (name.equals(JOB)) {
        throw new IllegalArgumentException(
            "results of kind %s have a field %s that is no key".formatted(kind, JOB));
      }
      claim(name);
    }

    /** A store keeps the first of two and says nothing. */
    private void claim(String name) {
      requireName(name);
      if (!names.add(name)) {
        throw new IllegalArgumentException(
            "results of kind %s have two fields %s (or one that is called like a column of each table: %s, %s, %s)"
                .formatted(kind, name, TIME, RULE, RESULT_KEY));
      }
    }

    private void requireName(String name) {
      if (!isName(name)) {
        throw new IllegalArgumentException(
            "results of kind %s: %s is not a name in snake_case of %d characters at most"
                .formatted(kind, name, LONGEST_NAME));
      }
    }
  }
}
