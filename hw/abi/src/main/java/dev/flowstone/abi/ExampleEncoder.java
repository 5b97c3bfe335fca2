// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;

/**
 * Turns the values of an example into the bytes of its layout.
 *
 * <p>A scalar is a number, {@code "0x1f"}, the name of a constant of the layout or {@code
 * enum.value}; one with bits may be a mapping of bit names to such values. Bytes are {@code
 * "text:…"} (zero-padded), {@code "hex:…"}, {@code "ipv4:…"} or {@code "ipv6:…"}. An array is a
 * mapping of an index {@code 3} or a span {@code 4..7} to the value of those elements.
 */
final class ExampleEncoder {
  private final Abi abi;
  private final String place;
  private final ByteBuffer bytes;
  private final List<EncodedExample.Row> rows = new ArrayList<>();

  private ExampleEncoder(Abi abi, Layout layout) {
    this.abi = abi;
    place = "layout " + layout.name() + ": example";
    bytes = ByteBuffer.allocate(Math.toIntExact(layout.sizeBytes())).order(ByteOrder.LITTLE_ENDIAN);
  }

  static EncodedExample encode(Abi abi, Layout layout) {
    ExampleEncoder encoder = new ExampleEncoder(abi, layout);
    encoder.struct(layout, 0, "", layout.example().orElseThrow().values());
    return new EncodedExample(encoder.bytes.array(), encoder.rows);
  }

  private void struct(Layout layout, long base, String prefix, Map<String, Object> values) {
    Set<String> unknown = new HashSet<>(values.keySet());
    for (Field field : layout.fields()) {
      unknown.remove(field.name());
      String name = prefix + field.name();
      Object value = values.get(field.name());
      if (value == null) {
        row(base + field.offset(), abi.sizeBytes(field), name, "zero");
      } else if (field.count().isPresent()) {
        array(layout, field, base + field.offset(), name, value);
      } else {
        element(layout, field, base + field.offset(), name, value);
      }
    }
    if (!unknown.isEmpty()) {
      throw new AbiException(place + ": no such field: " + prefix + unknown);
    }
  }

  private void array(Layout layout, Field field, long offset, String name, Object value) {
    long elementBytes = abi.elementBytes(field);
    int next = 0;
    for (Map.Entry<String, Object> entry :
        LayoutReader.stringKeys(place + ": " + name, value).entrySet()) {
      Span span = Span.parse(place + ": " + name, entry.getKey(), next, field.elements());
      zeroElements(field, offset, name, next, span.first());
      if (field.type() instanceof FieldType.Scalar(ScalarType type)) {
        long number = number(layout, name, type, entry.getValue());
        for (int index = span.first(); index < span.end(); index++) {
          put(offset + index * elementBytes, type, number);
        }
        String meaning = meaning(number, entry.getValue());
        row(
            offset + span.first() * elementBytes,
            span.count() * elementBytes,
            span.of(name),
            meaning);
      } else {
        for (int index = span.first(); index < span.end(); index++) {
          element(
              layout,
              field,
              offset + index * elementBytes,
              name + "[" + index + "]",
              entry.getValue());
        }
      }
      next = span.end();
    }
    zeroElements(field, offset, name, next, field.elements());
  }

  private void zeroElements(Field field, long offset, String name, int first, int end) {
    if (first < end) {
      long elementBytes = abi.elementBytes(field);
      Span span = new Span(first, end);
      row(offset + first * elementBytes, span.count() * elementBytes, span.of(name), "zero");
    }
  }

  private void element(Layout layout, Field field, long offset, String name, Object value) {
    switch (field.type()) {
      case FieldType.Scalar(ScalarType type) -> scalar(layout, field, type, offset, name, value);
      case FieldType.Bytes(int lengthBytes) -> {
        byte[] content = content(name, String.valueOf(value), lengthBytes);
        bytes.put(Math.toIntExact(offset), content);
        String text = String.valueOf(value);
        row(offset, lengthBytes, name, text.substring(text.indexOf(':') + 1));
      }
      case FieldType.Struct(String inner) ->
          struct(
              abi.layout(inner).orElseThrow(),
              offset,
              name + ".",
              LayoutReader.stringKeys(place + ": " + name, value));
    }
  }

  private void scalar(
      Layout layout, Field field, ScalarType type, long offset, String name, Object value) {
    if (value instanceof Map<?, ?>) {
      bits(layout, field, type, offset, name, value);
    } else {
      long number = number(layout, name, type, value);
      put(offset, type, number);
      row(offset, type.bytes(), name, meaning(number, value));
    }
  }

  private void bits(
      Layout layout, Field field, ScalarType type, long offset, String name, Object value) {
    Map<String, Object> values = LayoutReader.stringKeys(place + ": " + name, value);
    Set<String> unknown = new HashSet<>(values.keySet());
    StringJoiner meanings = new StringJoiner("; ");
    long word = 0;
    for (BitRange range : field.bits()) {
      unknown.remove(range.name());
      Object given = values.getOrDefault(range.name(), 0);
      long number = number(layout, name + " bits " + range.name(), type, given);
      if ((number & ~range.mask()) != 0) {
        throw new AbiException(
            "%s: %s: %s does not fit bits %s of %s"
                .formatted(place, name, given, range.span(), range.name()));
      }
      word |= number << range.low();
      meanings.add("bits %s %s = %s".formatted(range.span(), range.name(), meaning(number, given)));
    }
    if (!unknown.isEmpty()) {
      throw new AbiException(place + ": " + name + ": no such bits: " + unknown);
    }
    put(offset, type, word);
    row(offset, type.bytes(), name, "0x" + Long.toHexString(word) + ": " + meanings);
  }

  private void put(long offset, ScalarType type, long number) {
    int index = Math.toIntExact(offset);
    switch (type) {
      case U8 -> bytes.put(index, (byte) number);
      case U16 -> bytes.putShort(index, (short) number);
      case U32 -> bytes.putInt(index, (int) number);
      case U64 -> bytes.putLong(index, number);
    }
  }

  private void row(long offset, long lengthBytes, String name, String meaning) {
    rows.add(new EncodedExample.Row(offset, lengthBytes, name, meaning));
  }

  /** Numbers in decimal, with the name or the hexadecimal digits the author gave. */
  private static String meaning(long number, Object given) {
    String decimal = Long.toUnsignedString(number);
    return given instanceof String text && !text.equals(decimal)
        ? decimal + " (" + text + ")"
        : decimal;
  }

  private long number(Layout layout, String name, ScalarType type, Object value) {
    long number =
        switch (value) {
          case Integer small -> small;
          case Long big -> big;
          case String text -> named(layout, name, text);
          default -> throw notANumber(name, value);
        };
    if ((number < 0 && !(value instanceof String)) || !type.holds(number)) {
      throw new AbiException(
          "%s: %s: %s does not fit %s".formatted(place, name, value, type.yamlName()));
    }
    return number;
  }

  private long named(Layout layout, String name, String text) {
    if (text.startsWith("0x")) {
      return HexFormat.fromHexDigitsToLong(text, 2, text.length());
    }
    for (Constant constant : layout.constants()) {
      if (constant.name().equals(text)) {
        return constant.value();
      }
    }
    for (Enumeration enumeration : abi.enums()) {
      for (Enumeration.Value value : enumeration.values()) {
        if (text.equals(enumeration.name() + "." + value.name())) {
          return value.value();
        }
      }
    }
    throw notANumber(name, text);
  }

  private AbiException notANumber(String name, Object value) {
    return new AbiException(
        "%s: %s: '%s' is no number, no constant of the layout and no enum.value"
            .formatted(place, name, value));
  }

  private byte[] content(String name, String value, int lengthBytes) {
    int colon = value.indexOf(':');
    String text = value.substring(colon + 1);
    byte[] content =
        switch (value.substring(0, Math.max(colon, 0))) {
          case "text" -> text.getBytes(StandardCharsets.UTF_8);
          case "hex" -> HexFormat.of().parseHex(text.replace(" ", ""));
          case "ipv4" -> mapped(InetAddress.ofLiteral(text).getAddress());
          case "ipv6" -> InetAddress.ofLiteral(text).getAddress();
          default ->
              throw new AbiException(
                  "%s: %s: bytes start with text:, hex:, ipv4: or ipv6:, found '%s'"
                      .formatted(place, name, value));
        };
    if (content.length > lengthBytes) {
      throw new AbiException(
          "%s: %s: %d bytes do not fit %d".formatted(place, name, content.length, lengthBytes));
    }
    return content;
  }

  private static byte[] mapped(byte[] ipv4) {
    return ByteBuffer.allocate(16).putShort(10, (short) 0xffff).put(12, ipv4).array();
  }

  /** Elements {@code first} to {@code end} (excluded) of an array. */
  private record Span(int first, int end) {
    static Span parse(String place, String key, int minimum, int elements) {
      if (!key.matches("\\d{1,9}(\\.\\.\\d{1,9})?")) {
        throw new AbiException(place + ": expected an index or first..last, found '" + key + "'");
      }
      int dots = key.indexOf("..");
      int first = Integer.parseInt(dots < 0 ? key : key.substring(0, dots));
      int last = dots < 0 ? first : Integer.parseInt(key.substring(dots + 2));
      if (first < minimum || last < first || last >= elements) {
        throw new AbiException(
            "%s: '%s' is out of order or not below %d".formatted(place, key, elements));
      }
      return new Span(first, last + 1);
    }

    int count() {
      return end - first;
    }

    String of(String name) {
      return count() == 1 ? name + "[" + first + "]" : name + "[" + first + ".." + (end - 1) + "]";
    }
  }
}
