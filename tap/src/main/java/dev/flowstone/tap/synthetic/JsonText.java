// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.List;
import java.util.Map;

/** Writes maps, lists, numbers and plain ASCII strings as JSON. */
final class JsonText {
  private final StringBuilder text = new StringBuilder();

  private JsonText() {}

  static String of(Object value) {
    JsonText json = new JsonText();
    json.write(value, "\n");
    return json.text.append('\n').toString();
  }

  private void write(Object value, String lineBreak) {
    switch (value) {
      case Map<?, ?> map -> writeMap(map, lineBreak);
      case List<?> list -> writeList(list, lineBreak);
      case Number number -> text.append(number);
      case String string -> writeString(string);
      default -> throw new IllegalArgumentException("no JSON for " + value.getClass());
    }
  }

  private void writeMap(Map<?, ?> map, String lineBreak) {
    String separator = "{";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      text.append(separator).append(lineBreak).append("  ");
      writeString((String) entry.getKey());
      text.append(": ");
      write(entry.getValue(), lineBreak + "  ");
      separator = ",";
    }
    text.append(map.isEmpty() ? "{" : lineBreak).append('}');
  }

  private void writeList(List<?> list, String lineBreak) {
    String separator = "[";
    for (Object element : list) {
      text.append(separator).append(lineBreak).append("  ");
      write(element, lineBreak + "  ");
      separator = ",";
    }
    text.append(list.isEmpty() ? "[" : lineBreak).append(']');
  }

  private void writeString(String string) {
    if (!string.chars().allMatch(c -> c >= ' ' && c <= '~' && c != '"' && c != '\\')) {
      throw new IllegalArgumentException("not plain ASCII: " + string);
    }
    text.append('"').append(string).append('"');
  }
}
