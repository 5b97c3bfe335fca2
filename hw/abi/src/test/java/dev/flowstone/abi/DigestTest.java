// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A layout that moves must have a new version. */
class DigestTest {
  private static final String THINGS =
      """
      layout: things
      title: Things
      size_bytes: 16
      byte_order: little
      versions: [things.version]
      languages: [c, java]
      summary: "Two things."
      constants:
        - {name: version, type: u32, value: "1", doc: "Raised with every change."}
        - {name: most, type: u32, value: "9", doc: "A bound."}
      fields:
        - {name: both, offset: 0, type: struct, layout: thing, count: 2, doc: "The things."}
      ---
      layout: thing
      title: Thing
      size_bytes: 8
      byte_order: little
      versions: [things.version]
      languages: [c, java]
      summary: "A thing."
      fields:
        - {name: first, offset: 0, type: u32, doc: "First."}
        - name: second
          offset: 4
          type: u32
          doc: "Second."
          bits:
            - {name: low_half, high: 15, low: 0, doc: "Low."}
            - {name: high_half, high: 31, low: 16, doc: "High."}
      enums:
        - name: colour
          doc: "Its colour."
          values: [{name: red, value: 1, doc: "Red."}]
      """;

  private static final DigestLedger RECORDED = DigestLedger.parse("").with(abi(THINGS));

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();

  private static Abi abi(String yaml) {
    return AbiReader.validated(new Abi(List.of(AbiReader.page("things", yaml))));
  }

  private static String digest(String layout, String yaml) {
    Abi abi = abi(yaml);
    return LayoutDigest.of(abi, abi.layout(layout).orElseThrow());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a scalar's type      | thing  | 'type: u32, doc: \"First' | 'type: bytes, length: 4, doc: \"First'",
        "a name               | thing  | 'name: first'             | 'name: front'",
        "a name of bits       | thing  | 'name: low_half'          | 'name: lower_half'",
        "a number of an enum  | thing  | 'value: 1,'               | 'value: 2,'",
        "a name of an enum    | thing  | 'name: red'               | 'name: green'",
        "a constant           | things | 'value: \"9\"'            | 'value: \"10\"'",
      })
  void shouldNoticeAMoveOf(String what, String layout, String before, String after) {
    String moved = THINGS.replace(before, after);
    assertThat(moved).isNotEqualTo(THINGS);

    assertThatThrownBy(() -> RECORDED.with(abi(moved)))
        .as(what)
        .isInstanceOf(AbiException.class)
        .hasMessageStartingWith("layout " + layout + " is not what things.version 1 says it is")
        .hasMessageContaining(digest(layout, THINGS))
        .hasMessageContaining(digest(layout, moved))
        .hasMessageContaining("raise version in hw/abi/things.yaml to 2 and run: mvn");
  }

  @Test
  void shouldNoticeBitsThatMove() {
    String moved = THINGS.replace("high: 15", "high: 14").replace("low: 16", "low: 15");

    assertThat(digest("thing", moved)).isNotEqualTo(digest("thing", THINGS));
  }

  @Test
  void shouldNoticeAnArrayThatGrows() {
    String grown = THINGS.replace("count: 2", "count: 3").replace("bytes: 16", "bytes: 24");

    assertThat(digest("things", grown)).isNotEqualTo(digest("things", THINGS));
  }

  @Test
  void shouldNotMindWhatIsSaidOfALayoutOrWhoReadsIt() {
    String told =
        THINGS
            .replace("First.", "The first of both.")
            .replace("A thing.", "Half of two things.")
            .replace("[c, java]", "[c]");

    assertThat(RECORDED.with(abi(told)).file()).isEqualTo(RECORDED.file());
  }

  @Test
  void shouldAddANewVersionAndKeepTheOld() {
    String raised = THINGS.replace("\"1\"", "\"2\"").replace("\"9\"", "\"10\"");

    String text = RECORDED.with(abi(raised)).file().text();

    assertThat(text.lines().filter(line -> !line.startsWith("#")))
        .containsExactly(
            "things.version 1 thing " + digest("thing", THINGS),
            "things.version 1 things " + digest("things", THINGS),
            "things.version 2 thing " + digest("thing", THINGS),
            "things.version 2 things " + digest("things", raised));
    assertThat(DigestLedger.parse(text).with(abi(raised)).file().text()).isEqualTo(text);
  }

  @Test
  void shouldRefuseALayoutThatIsGone() {
    String alone =
        THINGS.substring(0, THINGS.indexOf("---\n")).replace("struct, layout: thing", "u64");

    assertThatThrownBy(() -> RECORDED.with(abi(alone)))
        .hasMessageContaining(
            "layout thing is part of things.version 1 and is gone; raise version");
  }

  @Test
  void shouldRefuseAVersionThatFalls() {
    DigestLedger second = RECORDED.with(abi(THINGS.replace("\"1\"", "\"2\"")));

    assertThatThrownBy(() -> second.with(abi(THINGS)))
        .hasMessage(
            "things.version is 1, but hw/abi/digests.txt has version 2: versions only rise");
  }

  @Test
  void shouldNameALineThatIsNoDigest() {
    assertThatThrownBy(() -> DigestLedger.parse("things.version one thing 00\n"))
        .hasMessageContaining(
            "expected version constant, version, layout and digest, found 'things.version one thing 00'");
  }

  @Test
  void shouldWriteNothingWhileALayoutIsNotWhatItsVersionSays(@TempDir Path root)
      throws IOException {
    Path yaml = root.resolve("hw/abi/things.yaml");
    Files.createDirectories(yaml.getParent());
    Files.writeString(yaml, THINGS);
    assertThat(run(root.toString())).isZero();
    String header = Files.readString(root.resolve(CHeader.PATH));
    Files.writeString(yaml, THINGS.replace("\"9\"", "\"10\""));

    assertThat(run("--check", root.toString())).isEqualTo(1);
    assertThat(run(root.toString())).isEqualTo(1);
    assertThat(output.toString(StandardCharsets.UTF_8))
        .contains("layout things is not what things.version 1 says it is");
    assertThat(root.resolve(CHeader.PATH)).hasContent(header);
  }

  private int run(String... arguments) throws IOException {
    PrintStream stream = new PrintStream(output, true, StandardCharsets.UTF_8);
    return GenerateAbi.run(List.of(arguments), stream, stream);
  }

  /** What never leaves a process has no version; program and library compare this word. */
  @Test
  void shouldChangeTheWordThatLibraryAndProgramCompare() {
    String inProcess = THINGS.replace("versions: [things.version]", "versions: []");

    assertThat(SharedDigest.of(abi(inProcess)))
        .isNotEqualTo(SharedDigest.of(abi(inProcess.replace("value: 1,", "value: 2,"))));
    assertThat(SharedDigest.of(abi(THINGS)))
        .isNotEqualTo(SharedDigest.of(abi(THINGS.replace("\"1\"", "\"2\""))));
    assertThat(SharedDigest.of(abi(inProcess)))
        .isEqualTo(SharedDigest.of(abi(inProcess.replace("First.", "The first of both."))));
  }
}
