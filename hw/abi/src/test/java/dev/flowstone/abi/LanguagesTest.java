// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
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

  /** Java has every number of the other language, and the same. */
  private void assertSameAsJava(SortedMap<String, String> numbers) throws Exception {
    SortedMap<String, String> java = new TreeMap<>(javaNumbers());
    java.keySet().retainAll(numbers.keySet());

    assertThat(numbers).isNotEmpty().isEqualTo(java);
  }

  private SortedMap<String, String> headerNumbers(String... compiler) throws Exception {
    assumeTrue(
        Processes.exists(compiler[0], "--version"),
        "NOT CHECKED: " + compiler[0] + " is not installed, so the C header was not compiled");
    Abi shared = AbiReader.read(root).in(Language.C).in(Language.JAVA);
    return CompiledHeader.numbers(shared, root.resolve("hw/include"), scratch, compiler);
  }

  @Test
  void shouldMeanTheSameInCAndJava() throws Exception {
    assertSameAsJava(headerNumbers(C));
  }

  @Test
  void shouldMeanTheSameInCppAndJava() throws Exception {
    assertSameAsJava(headerNumbers(CPP));
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
    String python = pythonWithNumpy();
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
        Processes.numbers(scratch, python, file.toString(), root.resolve("notebooks").toString());
    assertSameAsJava(numpy);
  }

  /** The one that the launcher sets up, else the machine's own. */
  private String pythonWithNumpy() throws InterruptedException {
    for (String python : List.of(root.resolve("build/venv/bin/python").toString(), "python3")) {
      if (Processes.exists(python, "-c", "import numpy")) {
        return python;
      }
    }
    return abort(
        "NOT CHECKED: no python3 with numpy here or in build/venv, so layouts.py was not loaded");
  }

  private static Map<String, String> generated(String ofLayout, String ofParts) {
    String yaml =
        """
      layout: thing
      title: Thing
      size_bytes: 16
      byte_order: little
      versions: []
      languages: [%1$s]
      summary: "A thing."
      constants:
        - {name: bound, type: u32, value: "3", doc: "For all."}
        - {name: step, type: u32, value: "4", doc: "For one.", languages: [%2$s]}
      fields:
        - {name: address, offset: 0, type: u64, doc: "An address.", languages: [%2$s]}
        - {name: value, offset: 8, type: u32, doc: "A value."}
        - {name: reserved_12, offset: 12, type: bytes, length: 4, doc: "Zero."}
      enums:
        - name: colour
          doc: "Its colour."
          languages: [%2$s]
          values: [{name: red, value: 1, doc: "Red."}]
      """
            .formatted(ofLayout, ofParts);
    Abi abi = AbiReader.validated(new Abi(List.of(AbiReader.page("thing", yaml))));
    return Generator.generate(abi).stream()
        .collect(Collectors.toMap(GeneratedFile::path, GeneratedFile::text));
  }

  @Test
  void shouldGenerateALayoutOnlyForTheLanguagesItNames() {
    String java = JavaSource.DIRECTORY + "ThingLayout.java";
    Map<String, String> forC = generated("c", "c");
    Map<String, String> forJava = generated("java", "java");
    Map<String, String> forPython = generated("python", "python");

    assertThat(forC.get(CHeader.PATH)).contains("struct fs_thing", "FS_COLOUR_RED");
    assertThat(forJava.get(CHeader.PATH)).doesNotContain("thing", "THING", "COLOUR");
    assertThat(forJava).containsKeys(java, JavaSource.DIRECTORY + "Colour.java");
    assertThat(forPython).doesNotContainKeys(java, JavaSource.DIRECTORY + "Colour.java");
    assertThat(forPython.get(NumpyLayouts.PATH)).contains("THING = np.dtype", "class Colour");
    assertThat(forC.get(NumpyLayouts.PATH)).doesNotContain("THING", "Colour");
    assertThat(forPython.get("docs/formats/thing.md"))
        .contains("little-endian. In Python `layouts.THING`. Never leaves a process");
  }

  @Test
  void shouldGenerateAPartOnlyForTheLanguagesItNames() {
    Map<String, String> files = generated("c, java, python", "c");
    String java = files.get(JavaSource.DIRECTORY + "ThingLayout.java");
    String python = files.get(NumpyLayouts.PATH);

    assertThat(files.get(CHeader.PATH))
        .contains("uint64_t address;", "FS_THING_STEP", "FS_COLOUR_RED");
    assertThat(java)
        .contains("VALUE_OFFSET = 8", "BOUND = 3")
        .doesNotContain("ADDRESS_OFFSET", "STEP");
    assertThat(python)
        .contains("\"value\"", "THING_BOUND = 3", "\"itemsize\": 16")
        .doesNotContain("\"address\"", "THING_STEP", "Colour");
    assertThat(files).doesNotContainKey(JavaSource.DIRECTORY + "Colour.java");
  }

  @Test
  void shouldGiveFillersToCOnly() {
    Map<String, String> files = generated("c, java, python", "c");

    assertThat(files.get(CHeader.PATH)).contains("uint8_t reserved_12[4];");
    assertThat(files.get(JavaSource.DIRECTORY + "ThingLayout.java"))
        .doesNotContain("RESERVED_12_OFFSET");
    assertThat(files.get(NumpyLayouts.PATH)).doesNotContain("reserved_12");
  }
}
