// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.List;
import java.util.Set;

/**
 * Writes the package of the card's RTL, in the part of SystemVerilog that both Verilator and Yosys
 * read. Registers become offsets, what fits into a slot a packed struct; of anything larger the
 * card sees no more than its constants.
 */
final class SystemVerilogPackage {
  static final String PATH = "hw/rtl/fs_abi.sv";
  private static final int COMMENT_WIDTH = 120;
  private static final int SLOT_BYTES = 64;

  /** Words of the language that a field may well be named by. */
  private static final Set<String> RESERVED =
      Set.of(
          "assert",
          "bit",
          "byte",
          "case",
          "class",
          "config",
          "context",
          "design",
          "event",
          "expect",
          "final",
          "force",
          "input",
          "instance",
          "interface",
          "library",
          "local",
          "matches",
          "module",
          "output",
          "packed",
          "parameter",
          "primitive",
          "priority",
          "process",
          "program",
          "property",
          "pure",
          "real",
          "ref",
          "reg",
          "release",
          "sequence",
          "signed",
          "static",
          "string",
          "strong",
          "super",
          "table",
          "tagged",
          "task",
          "this",
          "time",
          "type",
          "union",
          "unique",
          "unsigned",
          "use",
          "var",
          "virtual",
          "void",
          "wait",
          "weak",
          "while",
          "wire",
          "with");

  private final StringBuilder out = new StringBuilder();

  private SystemVerilogPackage() {}

  static GeneratedFile generate(Abi abi) {
    return new GeneratedFile(PATH, new SystemVerilogPackage().text(abi));
  }

  /** Of the struct where there is one, else how its constants begin. */
  static String name(Layout layout) {
    return "fs_abi::"
        + (isStruct(layout) ? layout.name() + "_t" : Names.constant(layout.name()) + "_…");
  }

  private static boolean isStruct(Layout layout) {
    return !layout.registers()
        && layout.fields().stream().noneMatch(SystemVerilogPackage::isNested)
        && layout.sizeBytes() <= SLOT_BYTES;
  }

  private static boolean isNested(Field field) {
    return field.type() instanceof FieldType.Struct;
  }

  private String text(Abi abi) {
    out.append(
        """
        // SPDX-License-Identifier: Apache-2.0
        // %s from hw/abi/*.yaml. Do not edit; change the YAML and run: %s
        // Binary layouts of Flowstone. Byte i of a struct is its bits 8 i to 8 i + 7, so a slot is the struct as it lies in memory.
        package fs_abi;
        """
            .formatted(GeneratedFile.MARK, GeneratedFile.COMMAND));
    for (Layout layout : abi.layouts()) {
      if (layout.languages().contains(Language.SYSTEMVERILOG)) {
        layout(layout);
      }
    }
    out.append("\nendpackage\n");
    return out.toString();
  }

  /** A packed struct is whole whoever uses its fields, as in C. */
  private void layout(Layout layout) {
    Layout used = layout.in(Language.SYSTEMVERILOG);
    out.append("\n  // ---- ").append(layout.title()).append(" ----\n");
    Prose.paragraphs(layout.summary()).forEach(this::comment);
    for (Constant constant : used.constants()) {
      comment(constant.doc());
      constant(layout, constant.name(), constant.type().bits(), constant.value());
    }
    used.enums().forEach(this::enumeration);
    if (layout.registers()) {
      layout.fields().stream()
          .filter(field -> !Field.isFiller(field.name()))
          .forEach(field -> register(layout, field));
    } else if (isStruct(layout)) {
      struct(layout);
    }
  }

  private void register(Layout layout, Field field) {
    comment(field.doc());
    int addressBits = Long.SIZE - Long.numberOfLeadingZeros(layout.sizeBytes() - 1);
    constant(layout, field.name() + "_offset", addressBits, field.offset());
    for (BitRange bits : field.bits()) {
      if (!bits.name().startsWith("reserved_")) {
        comment(field.name() + ": " + bits.doc());
        number(layout, bits.name() + "_bit", bits.low());
      }
    }
  }

  private void enumeration(Enumeration enumeration) {
    comment(enumeration.doc());
    int largest = enumeration.values().stream().mapToInt(Enumeration.Value::value).max().orElse(0);
    int bits = Math.max(1, Integer.SIZE - Integer.numberOfLeadingZeros(largest));
    for (Enumeration.Value value : enumeration.values()) {
      out.append(
          "  localparam logic [%d:0] %s_%s = %d'd%d; // %s\n"
              .formatted(
                  bits - 1,
                  Names.constant(enumeration.name()),
                  Names.constant(value.name()),
                  bits,
                  value.value(),
                  value.doc()));
    }
  }

  private void constant(Layout layout, String name, int bits, long value) {
    out.append(
        "  localparam logic [%d:0] %s_%s = %d'h%x;\n"
            .formatted(bits - 1, Names.constant(layout.name()), Names.constant(name), bits, value));
  }

  private void number(Layout layout, String name, int value) {
    out.append(
        "  localparam int %s_%s = %d;\n"
            .formatted(Names.constant(layout.name()), Names.constant(name), value));
  }

  private void struct(Layout layout) {
    out.append("  typedef struct packed {\n");
    for (Field field : layout.fields().reversed()) {
      if (field.bits().isEmpty()) {
        member(bits(field), field.name(), field.doc());
      } else {
        highestFirst(field)
            .forEach(
                range -> member(range.width(), range.name(), field.name() + ": " + range.doc()));
      }
    }
    out.append("  } ").append(layout.name()).append("_t;\n");
  }

  private static List<BitRange> highestFirst(Field field) {
    return field.bits().stream().sorted((a, b) -> b.low() - a.low()).toList();
  }

  private static long bits(Field field) {
    long element =
        switch (field.type()) {
          case FieldType.Scalar(ScalarType type) -> type.bits();
          case FieldType.Bytes(int lengthBytes) -> 8L * lengthBytes;
          case FieldType.Struct(String inner) ->
              throw new IllegalStateException(inner + " is nested");
        };
    return element * field.elements();
  }

  private void member(long bits, String name, String doc) {
    out.append(
        "    logic %s%s; // %s\n"
            .formatted(
                bits == 1 ? "" : "[" + (bits - 1) + ":0] ",
                RESERVED.contains(name) ? name + "_" : name,
                doc));
  }

  private void comment(String text) {
    Prose.wrap(text, COMMENT_WIDTH).forEach(line -> out.append("  // ").append(line).append('\n'));
  }
}
