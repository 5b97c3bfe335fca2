// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriftTest {
  private static final String LAYOUT =
      """
      layout: thing
      title: Thing
      size_bytes: 8
      byte_order: little
      versions: []
      languages: [c, java, python]
      summary: "A thing."
      fields:
        - {name: value, offset: 0, type: u64, doc: "Its value."}
      """;

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  private int run(String... arguments) throws IOException {
    PrintStream stream = new PrintStream(output, true, StandardCharsets.UTF_8);
    return GenerateAbi.run(List.of(arguments), stream, stream);
  }

  private String output() {
    return output.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldFindTheCommittedFilesAsTheGeneratorWritesThem() throws IOException {
    Path root = ProjectRoot.find();

    assertThat(new ProjectFiles(root, GenerateAbi.expected(root)).drift())
        .as("files that differ from hw/abi/*.yaml; regenerate with: %s", GeneratedFile.COMMAND)
        .isEmpty();
  }

  @Test
  void shouldNameAFileThatWasEditedByHand(@TempDir Path root) throws IOException {
    project(root);
    assertThat(run("--check", root.toString())).isZero();
    Files.writeString(root.resolve(CHeader.PATH), "#define CHANGED 1\n");

    assertThat(run("--check", root.toString())).isEqualTo(1);
    assertThat(output())
        .contains("differs from hw/abi/*.yaml: hw/include/flowstone/abi.h")
        .contains(GeneratedFile.COMMAND);
  }

  @Test
  void shouldNameAndDeleteWhatALayoutThatIsGoneLeftBehind(@TempDir Path root) throws IOException {
    project(root);
    Path yaml = root.resolve("hw/abi/thing.yaml");
    Files.writeString(yaml, LAYOUT.replace("layout: thing", "layout: other_thing"));
    String orphan = JavaSource.DIRECTORY + "ThingLayout.java";

    assertThat(run("--check", root.toString())).isEqualTo(1);
    assertThat(output()).contains(orphan);
    assertThat(run(root.toString())).isZero();
    assertThat(root.resolve(orphan)).doesNotExist();
    assertThat(root.resolve(JavaSource.DIRECTORY + "OtherThingLayout.java")).exists();
  }

  @Test
  void shouldLeaveHandWrittenPagesAlone(@TempDir Path root) throws IOException {
    project(root);
    Path page = root.resolve("docs/formats/by-hand.md");
    Files.writeString(page, "# By hand\n");

    assertThat(run(root.toString())).isZero();
    assertThat(page).exists();
  }

  @Test
  void shouldExplainItselfWhenUsedWrongly() throws IOException {
    assertThat(run("--check")).isEqualTo(2);
    assertThat(output()).startsWith("usage: GenerateAbi [--check] PROJECT_ROOT");
  }

  private void project(Path root) throws IOException {
    Files.createDirectories(root.resolve("hw/abi"));
    Files.writeString(root.resolve("hw/abi/thing.yaml"), LAYOUT);
    assertThat(run(root.toString())).isZero();
  }
}
