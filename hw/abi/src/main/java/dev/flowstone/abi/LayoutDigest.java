// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * SHA-256 of what a layout means to a program: sizes, offsets, types and numbers, each with its
 * name. Texts for people, examples and languages play no part, and neither does a version.
 */
final class LayoutDigest {
  private final Abi abi;
  private final StringBuilder canonical = new StringBuilder();

  private LayoutDigest(Abi abi) {
    this.abi = abi;
  }

  static String of(Abi abi, Layout layout) {
    return HexFormat.of().formatHex(sha256(canonical(abi, layout)));
  }

  /** One word for some layouts and the versions they have. */
  static long ofAll(Abi abi, List<Layout> layouts) {
    String versions =
        abi.versionNames().stream()
            .map(name -> "version " + name + " " + name.current(abi).orElseThrow() + "\n")
            .collect(Collectors.joining());
    String all =
        layouts.stream().map(layout -> canonical(abi, layout)).collect(Collectors.joining());
    return ByteBuffer.wrap(sha256(versions + all)).getLong();
  }

  static String canonical(Abi abi, Layout layout) {
    LayoutDigest digest = new LayoutDigest(abi);
    digest.layout(layout);
    return digest.canonical.toString();
  }

  private void layout(Layout layout) {
    line("layout", layout.name(), layout.sizeBytes());
    for (Constant constant : layout.constants()) {
      if (!abi.versionNames().contains(new VersionName(layout.name(), constant.name()))) {
        String value = Long.toUnsignedString(constant.value());
        line("constant", constant.name(), constant.type().yamlName(), value);
      }
    }
    layout.fields().forEach(this::field);
    layout.enums().forEach(this::enumeration);
  }

  private void field(Field field) {
    String type =
        switch (field.type()) {
          case FieldType.Scalar(ScalarType scalar) -> scalar.yamlName();
          case FieldType.Bytes ignored -> "bytes";
          case FieldType.Struct(String inner) -> inner;
        };
    line("field", field.name(), field.offset(), type, abi.elementBytes(field), field.elements());
    for (BitRange bits : field.bits()) {
      line("bits", bits.name(), bits.span());
    }
  }

  private void enumeration(Enumeration enumeration) {
    line("enum", enumeration.name());
    for (Enumeration.Value value : enumeration.values()) {
      line("value", value.name(), value.value());
    }
  }

  private void line(Object... words) {
    canonical
        .append(List.of(words).stream().map(String::valueOf).collect(Collectors.joining(" ")))
        .append('\n');
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
