// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes the reference page of one YAML file. */
final class ReferencePage {
  /** Bytes of one row of an example that are shown; the dump above the table has them all. */
  private static final int SHOWN_BYTES = 16;

  private final Abi abi;
  private final StringBuilder out = new StringBuilder();

  private ReferencePage(Abi abi) {
    this.abi = abi;
  }

  static GeneratedFile generate(Abi abi, Page page) {
    return new GeneratedFile(
        "docs/formats/" + page.stem() + ".md", new ReferencePage(abi).page(page));
  }

  private String page(Page page) {
    out.append("# ").append(Names.heading(page.stem())).append("\n\n");
    out.append(
        "<!-- %s from %s. Do not edit; change the YAML and run: %s -->\n"
            .formatted(GeneratedFile.MARK, page.source(), GeneratedFile.COMMAND));
    page.layouts().forEach(this::layout);
    return out.toString();
  }

  private void layout(Layout layout) {
    out.append("\n## ").append(layout.title()).append("\n\n");
    Prose.paragraphs(layout.summary()).forEach(text -> out.append(prose(text)).append("\n\n"));
    out.append(
        "`%s`, %d bytes, little-endian.%s%s\n\n"
            .formatted(layout.name(), layout.sizeBytes(), languages(layout), versions(layout)));
    code(ByteDiagram.draw(abi, layout));
    fields(layout);
    layout.fields().forEach(this::bits);
    constants(layout);
    layout.enums().forEach(this::enumeration);
    layout.example().ifPresent(example -> example(layout, example));
  }

  private static String languages(Layout layout) {
    String names =
        Arrays.stream(Language.values())
            .filter(layout.languages()::contains)
            .map(language -> "in " + language.title() + " `" + name(layout, language) + "`")
            .collect(Collectors.joining(", "));
    return names.isEmpty()
        ? ""
        : " " + names.substring(0, 1).toUpperCase(Locale.ROOT) + names.substring(1) + ".";
  }

  private static String name(Layout layout, Language language) {
    return switch (language) {
      case C -> "struct fs_" + layout.name();
      case JAVA -> Names.javaLayout(layout);
      case PYTHON -> "layouts." + Names.constant(layout.name());
      case SYSTEMVERILOG -> SystemVerilogPackage.name(layout);
    };
  }

  private static String versions(Layout layout) {
    if (layout.versions().isEmpty()) {
      return " Never leaves a process, so it has no version.";
    }
    return layout.versions().stream()
        .map(version -> "`" + version + "`")
        .collect(Collectors.joining(" and of ", " Version: that of ", "."));
  }

  private void fields(Layout layout) {
    out.append("\n| offset | bytes | field | type | meaning |\n|---:|---:|---|---|---|\n");
    for (Field field : layout.fields()) {
      tableRow(
          Long.toString(field.offset()),
          Long.toString(abi.sizeBytes(field)),
          "`" + field.name() + "`",
          typeName(field),
          prose(field.doc()));
    }
  }

  private static String typeName(Field field) {
    String element =
        switch (field.type()) {
          case FieldType.Scalar(ScalarType type) -> type.yamlName();
          case FieldType.Bytes ignored -> "bytes";
          case FieldType.Struct(String inner) -> "`" + inner + "`";
        };
    return field.count().isPresent() ? element + " × " + field.elements() : element;
  }

  private void bits(Field field) {
    if (field.bits().isEmpty()) {
      return;
    }
    out.append("\n### Bits of `").append(field.name()).append("`\n\n");
    code(BitDiagram.draw(field));
    out.append("\n| bits | name | meaning |\n|---:|---|---|\n");
    for (BitRange range : field.bits()) {
      tableRow(range.span(), "`" + range.name() + "`", prose(range.doc()));
    }
  }

  private void constants(Layout layout) {
    if (layout.constants().isEmpty()) {
      return;
    }
    out.append("\n### Constants\n\n| name | type | value | meaning |\n|---|---|---:|---|\n");
    for (Constant constant : layout.constants()) {
      tableRow(
          "`" + constant.name() + "`",
          constant.type().yamlName(),
          constant.literal(),
          prose(constant.doc()));
    }
  }

  private void enumeration(Enumeration enumeration) {
    out.append("\n### `").append(enumeration.name()).append("`\n\n");
    out.append(prose(enumeration.doc())).append("\n\n| value | name | meaning |\n|---:|---|---|\n");
    for (Enumeration.Value value : enumeration.values()) {
      tableRow(Integer.toString(value.value()), "`" + value.name() + "`", prose(value.doc()));
    }
  }

  private void example(Layout layout, Example example) {
    EncodedExample encoded = ExampleEncoder.encode(abi, layout);
    out.append("\n### Example: ").append(example.title()).append("\n\n");
    code(HexDump.of(encoded.bytes()));
    out.append("\n| bytes | hex | field | value |\n|---:|---|---|---|\n");
    for (EncodedExample.Row row : encoded.rows()) {
      long last = row.offset() + row.lengthBytes() - 1;
      tableRow(
          row.lengthBytes() == 1 ? Long.toString(last) : row.offset() + "–" + last,
          "`" + encoded.hex(row, SHOWN_BYTES) + "`",
          "`" + row.name() + "`",
          row.meaning());
    }
  }

  private void tableRow(String... cells) {
    List<String> escaped = Arrays.stream(cells).map(cell -> cell.replace("|", "\\|")).toList();
    out.append("| ").append(String.join(" | ", escaped)).append(" |\n");
  }

  private void code(String lines) {
    out.append("```text\n").append(lines).append("```\n");
  }

  /** Markdown would take these for tags and emphasis. */
  private static String prose(String text) {
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*").replace("_", "\\_");
  }
}
