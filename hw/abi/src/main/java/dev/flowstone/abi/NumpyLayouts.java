// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.function.Function;

/** Writes the Python module of NumPy dtypes. */
final class NumpyLayouts {
  static final String PATH = "notebooks/flowstone/layouts.py";
  private static final int COMMENT_WIDTH = 98;

  private final Abi abi;
  private final StringBuilder out = new StringBuilder();

  private NumpyLayouts(Abi abi) {
    this.abi = abi;
  }

  static GeneratedFile generate(Abi abi) {
    return new GeneratedFile(PATH, new NumpyLayouts(abi).module());
  }

  private String module() {
    out.append(
        """
        # SPDX-License-Identifier: Apache-2.0
        # %s from hw/abi/*.yaml. Do not edit; change the YAML and run: %s
        \"""Binary layouts of Flowstone as NumPy dtypes. A mask is applied after the shift.\"""

        import enum

        import numpy as np
        """
            .formatted(GeneratedFile.MARK, GeneratedFile.COMMAND));
    abi.enums().forEach(this::enumeration);
    abi.layoutsInnermostFirst().forEach(this::layout);
    return out.toString();
  }

  private void enumeration(Enumeration enumeration) {
    out.append("\n\nclass ")
        .append(Names.camelCase(enumeration.name()))
        .append("(enum.IntEnum):\n");
    out.append("    \"\"\"").append(enumeration.doc()).append("\"\"\"\n\n");
    for (Enumeration.Value value : enumeration.values()) {
      comment("    ", value.doc());
      out.append("    %s = %d\n".formatted(Names.constant(value.name()), value.value()));
    }
  }

  private void layout(Layout layout) {
    String prefix = Names.constant(layout.name());
    out.append("\n\n");
    comment("", layout.title() + ".");
    Prose.paragraphs(layout.summary()).forEach(paragraph -> comment("", paragraph));
    out.append(prefix).append(" = np.dtype(\n    {\n");
    list("names", layout, field -> "\"" + field.name() + "\"");
    list("formats", layout, this::format);
    list("offsets", layout, field -> Long.toString(field.offset()));
    out.append("        \"itemsize\": ").append(layout.sizeBytes()).append(",\n    }\n)\n");
    for (Constant constant : layout.constants()) {
      comment("", constant.doc());
      assign(prefix + "_" + Names.constant(constant.name()), constant.literal());
    }
    for (Field field : layout.fields()) {
      for (BitRange bits : field.bits()) {
        comment("", field.name() + ": " + bits.doc());
        String name = prefix + "_" + Names.constant(bits.name());
        assign(name + "_SHIFT", Integer.toString(bits.low()));
        assign(name + "_MASK", "0x" + Long.toHexString(bits.mask()));
      }
    }
  }

  private void list(String key, Layout layout, Function<Field, String> element) {
    out.append("        \"").append(key).append("\": [\n");
    layout
        .fields()
        .forEach(field -> out.append("            ").append(element.apply(field)).append(",\n"));
    out.append("        ],\n");
  }

  private String format(Field field) {
    return switch (field.type()) {
      case FieldType.Scalar(ScalarType type) -> format(scalar(type), field, "");
      case FieldType.Bytes(int lengthBytes) -> format("\"u1\"", field, lengthBytes + ",");
      case FieldType.Struct(String inner) -> format(Names.constant(inner), field, "");
    };
  }

  private static String scalar(ScalarType type) {
    return type == ScalarType.U8 ? "\"u1\"" : "\"<u" + type.bytes() + "\"";
  }

  private static String format(String element, Field field, String lastDimension) {
    String shape = (field.count().isPresent() ? field.elements() + "," : "") + lastDimension;
    if (shape.isEmpty()) {
      return element;
    }
    boolean single = shape.indexOf(',') == shape.length() - 1;
    String dimensions = single ? shape : shape.substring(0, shape.length() - 1).replace(",", ", ");
    return "(" + element + ", (" + dimensions + "))";
  }

  private void assign(String name, String value) {
    out.append(name).append(" = ").append(value).append('\n');
  }

  private void comment(String indent, String text) {
    Prose.wrap(text, COMMENT_WIDTH - indent.length())
        .forEach(line -> out.append(indent).append("# ").append(line).append('\n'));
  }
}
