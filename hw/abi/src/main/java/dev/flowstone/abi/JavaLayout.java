// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;

/** Writes the Java class of one layout. */
final class JavaLayout {
  private static final String OFFSET = "_OFFSET";
  private static final String LENGTH = "_LENGTH";

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
    return field.type() instanceof FieldType.Bytes ? List.of(OFFSET, LENGTH) : List.of(OFFSET);
  }

  private String source(Page page) {
    classComment(page);
    out.append("public final class ").append(Names.javaLayout(layout)).append(" {\n");
    out.append("/** Size of the whole layout. */\n");
    out.append("public static final long SIZE_BYTES = %d;\n\n".formatted(layout.sizeBytes()));
    Layout java = layout.in(Language.JAVA);
    java.constants().forEach(this::constant);
    java.fields().forEach(this::field);
    out.append("private ").append(Names.javaLayout(layout)).append("() {}\n}\n");
    return out.toString();
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

  private void comment(String text) {
    String javadoc = text.contains("{@code") ? text : Prose.javadoc(text);
    out.append("/** ").append(javadoc).append(" */\n");
  }
}
