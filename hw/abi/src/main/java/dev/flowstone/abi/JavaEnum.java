// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

/**
 * Writes one Java class of {@code int} constants: no object stands between a record and its kind.
 */
final class JavaEnum {
  private JavaEnum() {}

  static GeneratedFile generate(Page page, Enumeration enumeration) {
    String className = Names.camelCase(enumeration.name());
    StringBuilder out = new StringBuilder();
    out.append("/**\n * ").append(Prose.javadoc(enumeration.doc())).append("\n *\n");
    out.append(JavaSource.origin(page.source())).append(" */\n");
    out.append("public final class ").append(className).append(" {\n");
    for (Enumeration.Value value : enumeration.values()) {
      out.append("/** ").append(Prose.javadoc(value.doc())).append(" */\n");
      out.append("public static final int %s = %d;\n\n".formatted(constant(value), value.value()));
    }
    out.append("private ").append(className).append("() {}\n");
    if (enumeration.named()) {
      names(enumeration, out);
    }
    out.append("}\n");
    return JavaSource.file(className, out.toString());
  }

  private static void names(Enumeration enumeration, StringBuilder out) {
    out.append(
        "\n/** The name the layout gives to {@code value}; \"unknown (9)\" when it has none. */\n");
    out.append("public static String nameOf(int value) {\nreturn switch (value) {\n");
    for (Enumeration.Value value : enumeration.values()) {
      out.append("case %s -> \"%s\";\n".formatted(constant(value), value.name()));
    }
    out.append("default -> \"unknown (\" + value + \")\";\n};\n}\n");
  }

  private static String constant(Enumeration.Value value) {
    return Names.constant(value.name());
  }
}
