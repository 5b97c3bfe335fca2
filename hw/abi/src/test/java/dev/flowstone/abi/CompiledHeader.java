// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;

/**
 * Asks a compiler what it makes of the header: a program prints {@code sizeof} and {@code offsetof}
 * of what Java has too, under the names the Java constants have.
 */
final class CompiledHeader {
  private final StringBuilder program = new StringBuilder();

  private CompiledHeader() {}

  static SortedMap<String, String> numbers(Abi abi, Path include, Path scratch, String... compiler)
      throws IOException, InterruptedException {
    Path source = scratch.resolve("layouts.c");
    Files.writeString(source, new CompiledHeader().program(abi));
    String[] command = new String[compiler.length + 5];
    System.arraycopy(compiler, 0, command, 0, compiler.length);
    command[compiler.length] = "-I" + include;
    command[compiler.length + 1] = "-o";
    command[compiler.length + 2] = "layouts";
    command[compiler.length + 3] = source.toString();
    command[compiler.length + 4] = "-Werror";
    Processes.Result result = Processes.run(scratch, command);
    assertThat(result.status()).as(result.output()).isZero();
    return Processes.numbers(scratch, scratch.resolve("layouts").toString());
  }

  private String program(Abi abi) {
    program.append(
        """
        #include "flowstone/abi.h"
        #include <inttypes.h>
        #include <stdio.h>
        static void number(const char *name, uint64_t value) { printf("%s=%" PRIx64 "\\n", name, value); }
        int main(void) {
        """);
    number("AbiDigest.VALUE", "FS_ABI_DIGEST");
    for (Layout layout : abi.layouts()) {
      layout(layout);
    }
    for (Enumeration enumeration : abi.enums()) {
      for (Enumeration.Value value : enumeration.values()) {
        String java = Names.camelCase(enumeration.name()) + "." + Names.constant(value.name());
        number(java, Names.c(enumeration.name(), value.name()));
      }
    }
    return program.append("  return 0;\n}\n").toString();
  }

  private void layout(Layout layout) {
    String struct = "struct fs_" + layout.name();
    String java = Names.javaLayout(layout) + ".";
    number(java + "SIZE_BYTES", "sizeof(" + struct + ")");
    for (Constant constant : layout.constants()) {
      number(java + Names.constant(constant.name()), Names.c(layout.name(), constant.name()));
    }
    for (Field field : layout.fields()) {
      String name = java + Names.constant(field.name());
      String member = "((" + struct + " *)0)->" + field.name();
      number(name + "_OFFSET", "offsetof(" + struct + ", " + field.name() + ")");
      if (field.type() instanceof FieldType.Bytes) {
        number(name + "_LENGTH", "sizeof(" + member + (field.count().isPresent() ? "[0])" : ")"));
      }
      for (BitRange bits : field.bits()) {
        for (String suffix : new String[] {"_SHIFT", "_MASK"}) {
          number(
              java + Names.constant(bits.name()) + suffix,
              Names.c(layout.name(), bits.name()) + suffix);
        }
      }
    }
  }

  private void number(String name, String expression) {
    program.append("  number(\"%s\", (uint64_t)(%s));\n".formatted(name, expression));
  }
}
