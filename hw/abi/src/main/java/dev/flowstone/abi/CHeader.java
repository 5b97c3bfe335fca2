// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;

/** Writes the C header: valid C11 and C++17. */
final class CHeader {
  static final String PATH = "hw/include/flowstone/abi.h";
  private static final int COMMENT_WIDTH = 100;

  private final Abi abi;
  private final long digest;
  private final StringBuilder out = new StringBuilder();

  private CHeader(Abi abi, long digest) {
    this.abi = abi;
    this.digest = digest;
  }

  static GeneratedFile generate(Abi abi, long digest) {
    return new GeneratedFile(PATH, new CHeader(abi, digest).header());
  }

  private String header() {
    out.append(
        """
        // SPDX-License-Identifier: Apache-2.0
        // %s from hw/abi/*.yaml. Do not edit; change the YAML and run: %s
        // Binary layouts of Flowstone. Scalars are little-endian; a mask is applied after the shift.
        #ifndef FLOWSTONE_ABI_H
        #define FLOWSTONE_ABI_H

        #include <assert.h>
        #include <stddef.h>
        #include <stdint.h>

        #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
        #error "Flowstone's layouts are little-endian: read them byte by byte on this machine"
        #endif
        """
            .formatted(GeneratedFile.MARK, GeneratedFile.COMMAND));
    out.append('\n');
    comment("", SharedDigest.DOC);
    out.append("#define FS_ABI_DIGEST UINT64_C(0x%016x)\n".formatted(digest));
    abi.enums().forEach(this::enumeration);
    abi.layoutsInnermostFirst().forEach(this::layout);
    out.append("\n#endif\n");
    return out.toString();
  }

  private void enumeration(Enumeration enumeration) {
    out.append('\n');
    comment("", enumeration.doc());
    out.append("enum fs_").append(enumeration.name()).append(" {\n");
    for (Enumeration.Value value : enumeration.values()) {
      comment("  ", value.doc());
      out.append(
          "  %s = %d,\n".formatted(Names.c(enumeration.name(), value.name()), value.value()));
    }
    out.append("};\n");
  }

  private void layout(Layout layout) {
    out.append("\n// ---- ").append(layout.title()).append(" ----\n");
    for (Constant constant : layout.constants()) {
      comment("", constant.doc());
      define(layout, constant.name(), literal(constant.type(), constant.literal()));
    }
    layout.fields().forEach(field -> bits(layout, field));
    out.append('\n');
    Prose.paragraphs(layout.summary()).forEach(paragraph -> comment("", paragraph));
    out.append("struct fs_").append(layout.name()).append(" {\n");
    layout.fields().forEach(this::field);
    out.append("};\n");
    assertions(layout);
  }

  private void bits(Layout layout, Field field) {
    for (BitRange bits : field.bits()) {
      comment("", field.name() + ": " + bits.doc());
      define(layout, bits.name() + "_shift", Integer.toString(bits.low()));
      ScalarType type = ((FieldType.Scalar) field.type()).type();
      define(layout, bits.name() + "_mask", literal(type, "0x" + Long.toHexString(bits.mask())));
    }
  }

  private void define(Layout layout, String name, String value) {
    out.append("#define %s %s\n".formatted(Names.c(layout.name(), name), value));
  }

  private static String literal(ScalarType type, String digits) {
    return type == ScalarType.U64 ? "UINT64_C(" + digits + ")" : digits + "u";
  }

  private void field(Field field) {
    comment("  ", field.doc());
    String dimensions = field.count().isPresent() ? "[" + field.elements() + "]" : "";
    out.append("  ")
        .append(
            switch (field.type()) {
              case FieldType.Scalar(ScalarType type) -> "uint" + type.bits() + "_t ";
              case FieldType.Bytes ignored -> "uint8_t ";
              case FieldType.Struct(String inner) -> "struct fs_" + inner + " ";
            })
        .append(field.name())
        .append(dimensions)
        .append(field.type() instanceof FieldType.Bytes(int length) ? "[" + length + "]" : "")
        .append(";\n");
  }

  private void assertions(Layout layout) {
    String struct = "struct fs_" + layout.name();
    out.append(
        "static_assert(sizeof(%s) == %d, \"size of %s\");\n"
            .formatted(struct, layout.sizeBytes(), layout.name()));
    for (Field field : layout.fields()) {
      out.append(
          "static_assert(offsetof(%s, %s) == %d, \"%s.%s\");\n"
              .formatted(struct, field.name(), field.offset(), layout.name(), field.name()));
    }
  }

  private void comment(String indent, String text) {
    List<String> lines = Prose.wrap(text, COMMENT_WIDTH - indent.length() - 3);
    lines.forEach(line -> out.append(indent).append("// ").append(line).append('\n'));
  }
}
