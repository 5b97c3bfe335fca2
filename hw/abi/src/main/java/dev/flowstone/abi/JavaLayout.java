// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes the Java class of one layout. */
final class JavaLayout {
  private static final String OFFSET = "_OFFSET";
  private static final String LENGTH = "_LENGTH";
  private static final String COUNT = "_COUNT";

  private final Abi abi;
  private final Layout layout;
  private final StringBuilder out = new StringBuilder();

  private JavaLayout(Abi abi, Layout layout) {
    this.abi = abi;
    this.layout = layout;
  }

  static GeneratedFile generate(Abi abi, Page page, Layout layout) {
    return JavaSource.file(Names.javaLayout(layout), new JavaLayout(abi, layout).source(page));
  }

  /** The constants each field becomes. */
  static List<String> suffixes(Field field) {
    if (field.type() instanceof FieldType.Bytes) {
      return field.count().isPresent() ? List.of(OFFSET, LENGTH, COUNT) : List.of(OFFSET, LENGTH);
    }
    return field.count().isPresent() ? List.of(OFFSET, COUNT) : List.of(OFFSET);
  }

  private String source(Page page) {
    Set<ScalarType> scalars = scalars();
    imports(scalars);
    classComment(page);
    out.append("public final class ").append(Names.javaLayout(layout)).append(" {\n");
    out.append("/** Size of the whole layout. */\n");
    out.append("public static final long SIZE_BYTES = %d;\n\n".formatted(layout.sizeBytes()));
    layout.constants().forEach(this::constant);
    layout.fields().forEach(this::field);
    scalars.forEach(this::scalarLayout);
    memoryLayout();
    out.append("private ").append(Names.javaLayout(layout)).append("() {}\n}\n");
    return out.toString();
  }

  private Set<ScalarType> scalars() {
    Set<ScalarType> scalars = EnumSet.noneOf(ScalarType.class);
    for (Field field : layout.fields()) {
      if (field.type() instanceof FieldType.Scalar(ScalarType type)) {
        scalars.add(type);
      }
    }
    scalars.remove(ScalarType.U8); // A byte has no byte order.
    return scalars;
  }

  private void imports(Set<ScalarType> scalars) {
    out.append("import java.lang.foreign.MemoryLayout;\n");
    out.append("import java.lang.foreign.StructLayout;\n");
    boolean bytes =
        layout.fields().stream()
            .anyMatch(
                field ->
                    field.type() instanceof FieldType.Bytes
                        || field.type().equals(new FieldType.Scalar(ScalarType.U8)));
    if (bytes || !scalars.isEmpty()) {
      out.append("import java.lang.foreign.ValueLayout;\n");
    }
    if (!scalars.isEmpty()) {
      out.append("import java.nio.ByteOrder;\n");
    }
    out.append('\n');
  }

  private void classComment(Page page) {
    out.append("/**\n * ").append(Prose.javadoc(layout.title())).append(".\n *\n");
    for (String paragraph : Prose.paragraphs(layout.summary())) {
      out.append(" * <p>").append(Prose.javadoc(paragraph)).append("\n *\n");
    }
    diagram(ByteDiagram.draw(abi, layout));
    for (Field field : layout.fields()) {
      if (!field.bits().isEmpty()) {
        out.append(" * <p>{@code %s}:\n *\n".formatted(field.name()));
        diagram(BitDiagram.draw(field));
      }
    }
    out.append(JavaSource.origin(page.source())).append(" */\n");
  }

  private void diagram(String lines) {
    out.append(" * <pre>\n");
    lines.lines().forEach(line -> out.append(" * ").append(line).append('\n'));
    out.append(" * </pre>\n *\n");
  }

  private void constant(Constant constant) {
    comment(constant.doc());
    out.append(
        "public static final %s %s = %s;\n\n"
            .formatted(
                javaType(constant.type()),
                Names.constant(constant.name()),
                literal(constant.type(), constant.value(), constant.hexadecimal())));
  }

  private void field(Field field) {
    String name = Names.constant(field.name());
    comment(field.doc());
    out.append("public static final long %s = %d;\n\n".formatted(name + OFFSET, field.offset()));
    if (field.type() instanceof FieldType.Bytes(int lengthBytes)) {
      comment("Bytes of {@code " + field.name() + "}.");
      out.append("public static final int %s = %d;\n\n".formatted(name + LENGTH, lengthBytes));
    }
    if (field.count().isPresent()) {
      comment("Elements of {@code " + field.name() + "}.");
      out.append("public static final int %s = %d;\n\n".formatted(name + COUNT, field.elements()));
    }
    for (BitRange bits : field.bits()) {
      ScalarType type = ((FieldType.Scalar) field.type()).type();
      String bitsName = Names.constant(bits.name());
      comment(bits.doc());
      out.append("public static final int %s_SHIFT = %d;\n\n".formatted(bitsName, bits.low()));
      comment("To be applied after the shift.");
      out.append(
          "public static final %s %s_MASK = %s;\n\n"
              .formatted(javaType(type), bitsName, literal(type, bits.mask(), true)));
    }
  }

  private static String javaType(ScalarType type) {
    return type == ScalarType.U64 ? "long" : "int";
  }

  /** A decimal int or long ends at its sign bit; hexadecimal goes on. */
  private static String literal(ScalarType type, long value, boolean hexadecimal) {
    String suffix = type == ScalarType.U64 ? "L" : "";
    boolean signed = value < 0 || (type == ScalarType.U32 && value > Integer.MAX_VALUE);
    return (hexadecimal || signed ? "0x" + Long.toHexString(value) : Long.toString(value)) + suffix;
  }

  private void scalarLayout(ScalarType type) {
    String javaLayout =
        switch (type) {
          case U8 -> throw new IllegalStateException("a byte needs no byte order");
          case U16 -> "OfShort %s = ValueLayout.JAVA_SHORT";
          case U32 -> "OfInt %s = ValueLayout.JAVA_INT";
          case U64 -> "OfLong %s = ValueLayout.JAVA_LONG";
        };
    out.append("private static final ValueLayout.")
        .append(javaLayout.formatted(type.name()))
        .append(".withOrder(ByteOrder.LITTLE_ENDIAN);\n\n");
  }

  private void memoryLayout() {
    comment("The whole layout, each member under its own name.");
    String members =
        layout.fields().stream()
            .map(field -> "%s.withName(\"%s\")".formatted(member(field), field.name()))
            .collect(Collectors.joining(",\n"));
    out.append("public static final StructLayout LAYOUT = MemoryLayout.structLayout(")
        .append(members)
        .append(").withName(\"%s\");\n\n".formatted(layout.name()));
  }

  private String member(Field field) {
    String element =
        switch (field.type()) {
          case FieldType.Scalar(ScalarType type) ->
              type == ScalarType.U8 ? "ValueLayout.JAVA_BYTE" : type.name();
          case FieldType.Bytes(int lengthBytes) -> sequence(lengthBytes, "ValueLayout.JAVA_BYTE");
          case FieldType.Struct(String inner) ->
              Names.javaLayout(abi.layout(inner).orElseThrow()) + ".LAYOUT";
        };
    return field.count().isPresent() ? sequence(field.elements(), element) : element;
  }

  private static String sequence(int elements, String element) {
    return "MemoryLayout.sequenceLayout(%d, %s)".formatted(elements, element);
  }

  private void comment(String text) {
    String javadoc = text.contains("{@code") ? text : Prose.javadoc(text);
    out.append("/** ").append(javadoc).append(" */\n");
  }
}
