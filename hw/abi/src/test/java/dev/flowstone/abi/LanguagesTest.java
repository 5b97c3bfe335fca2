// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The committed header as a C and a C++ compiler see it, the committed Java layouts as the JVM sees
 * them, and the committed dtypes as NumPy sees them have the same numbers.
 */
class LanguagesTest {
  private static final String[] C = {"cc", "-std=c11", "-Wall", "-Wextra", "-pedantic"};
  private static final String[] CPP = {"g++", "-std=c++17", "-x", "c++", "-Wall", "-Wextra"};

  private final Path root = ProjectRoot.find();

  @TempDir Path scratch;

  private SortedMap<String, String> javaNumbers() throws Exception {
    return JavaConstants.of(root.resolve(JavaSource.DIRECTORY), scratch);
  }

  private SortedMap<String, String> headerNumbers(String... compiler) throws Exception {
    assumeTrue(
        Processes.exists(compiler[0], "--version"),
        "NOT CHECKED: " + compiler[0] + " is not installed, so the C header was not compiled");
    return CompiledHeader.numbers(
        AbiReader.read(root), root.resolve("hw/include"), scratch, compiler);
  }

  @Test
  void shouldMeanTheSameInCAndJava() throws Exception {
    assertThat(headerNumbers(C)).isEqualTo(javaNumbers());
  }

  @Test
  void shouldMeanTheSameInCppAndJava() throws Exception {
    assertThat(headerNumbers(CPP)).isEqualTo(javaNumbers());
  }

  @Test
  void shouldNoticeAJavaLayoutThatSaysSomethingElse() throws Exception {
    Path sources = Files.createDirectories(scratch.resolve("sources"));
    try (var files = Files.list(root.resolve(JavaSource.DIRECTORY))) {
      for (Path file : files.toList()) {
        String text =
            Files.readString(file).replace("SEQUENCE_OFFSET = 44", "SEQUENCE_OFFSET = 48");
        Files.writeString(sources.resolve(file.getFileName()), text);
      }
    }
    SortedMap<String, String> changed = JavaConstants.of(sources, scratch);
    SortedMap<String, String> header = headerNumbers(C);

    assertThat(header).isNotEqualTo(changed);
    assertThat(header).containsEntry("PacketRecordLayout.SEQUENCE_OFFSET", "2c");
    assertThat(changed).containsEntry("PacketRecordLayout.SEQUENCE_OFFSET", "30");
  }

  @Test
  void shouldMeanTheSameInNumpyAndJava() throws Exception {
    assumeTrue(
        Processes.exists("python3", "-c", "import numpy"),
        "NOT CHECKED: python3 with numpy is not installed, so layouts.py was not loaded");
    String program =
        """
        import enum, sys
        sys.dont_write_bytecode = True
        sys.path.insert(0, sys.argv[1])
        import numpy as np
        from flowstone import layouts
        def camel(name):
            return "".join(word.capitalize() for word in name.split("_"))
        for name, thing in vars(layouts).items():
            if isinstance(thing, np.dtype):
                print(f"{camel(name)}Layout.SIZE_BYTES={thing.itemsize:x}")
                for field, (_, offset) in thing.fields.items():
                    print(f"{camel(name)}Layout.{field.upper()}_OFFSET={offset:x}")
            elif isinstance(thing, type) and thing is not enum.IntEnum:
                for member in thing:
                    print(f"{name}.{member.name}={member.value:x}")
        """;
    Path file = Files.writeString(scratch.resolve("print_layouts.py"), program);
    SortedMap<String, String> numpy =
        Processes.numbers(
            scratch, "python3", file.toString(), root.resolve("notebooks").toString());
    SortedMap<String, String> java = new TreeMap<>(javaNumbers());
    java.keySet()
        .removeIf(name -> name.contains("Layout.") && !name.matches(".*(_OFFSET|SIZE_BYTES)"));

    assertThat(numpy).isEqualTo(java);
  }
}
