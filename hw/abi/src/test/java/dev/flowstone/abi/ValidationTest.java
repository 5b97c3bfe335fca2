// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ValidationTest {
  private static final String PLACE = "hw/abi/test.yaml: layout thing: ";

  private static final String VALUE = "- {name: value, offset: 0, type: u64, doc: d}";

  /** A layout of 8 bytes with these lines below {@code fields}. */
  private static String layout(String... fields) {
    return """
    layout: thing
    title: Thing
    size_bytes: 8
    byte_order: little
    versions: []
    languages: [c, java, python]
    summary: s
    fields:
      %s
    """
        .formatted(String.join("\n  ", fields));
  }

  private static void assertRefused(String yaml, String problem) {
    assertThatThrownBy(() -> AbiReader.validated(new Abi(List.of(AbiReader.page("test", yaml)))))
        .isInstanceOf(AbiException.class)
        .hasMessageContaining(problem);
  }

  @Test
  void shouldAcceptALayoutWithoutFault() {
    Abi abi = new Abi(List.of(AbiReader.page("test", layout(VALUE))));

    assertThat(AbiReader.validated(abi).layouts()).hasSize(1);
  }

  @Test
  void shouldRefuseAnOverlap() {
    assertRefused(
        layout(
            "- {name: first, offset: 0, type: u32, doc: d}",
            "- {name: second, offset: 2, type: u16, doc: d}"),
        PLACE + "field second: overlaps: starts at 2, the field before ends at 4");
  }

  @Test
  void shouldRefuseAGap() {
    assertRefused(
        layout(
            "- {name: first, offset: 0, type: u16, doc: d}",
            "- {name: second, offset: 4, type: u32, doc: d}"),
        PLACE + "field second: leaves a gap: bytes 2 to 3 are unnamed");
  }

  @Test
  void shouldRefuseAMisalignedScalar() {
    assertRefused(
        layout(
            "- {name: first, offset: 0, type: u16, doc: d}",
            "- {name: second, offset: 2, type: u32, doc: d}"),
        PLACE + "field second: offset 2 is not a multiple of 4");
  }

  @Test
  void shouldRefuseAScalarAcrossA64BitLane() {
    assertRefused(
        layout(
            "- {name: first, offset: 0, type: bytes, length: 6, doc: d}",
            "- {name: second, offset: 6, type: u32, doc: d}"),
        PLACE + "field second: crosses a 64-bit lane at offset 6");
  }

  @Test
  void shouldRefuseASizeThatTheFieldsDoNotFill() {
    assertRefused(
        layout("- {name: first, offset: 0, type: u32, doc: d}"),
        PLACE.replaceFirst(": $", "") + ": size_bytes is 8 but the fields end at 4");
  }

  @Test
  void shouldRefuseASizeThatACompilerWouldPad() {
    assertRefused(
        layout(VALUE, "- {name: tail, offset: 8, type: u8, doc: d}")
            .replace("size_bytes: 8", "size_bytes: 9"),
        "size_bytes 9 is not a multiple of the alignment 8");
  }

  private static String bits(String... bits) {
    return layout(
        "- {name: low_word, offset: 0, type: u32, doc: d}",
        "- name: word",
        "  offset: 4",
        "  type: u32",
        "  doc: d",
        "  bits: [" + String.join(", ", bits) + "]");
  }

  @Test
  void shouldRefuseOverlappingBits() {
    assertRefused(
        bits("{name: a, high: 16, low: 0, doc: d}", "{name: b, high: 31, low: 16, doc: d}"),
        PLACE + "field word: bits b overlap: bit 16 is already taken");
  }

  @Test
  void shouldRefuseBitsWithAHole() {
    assertRefused(
        bits("{name: a, high: 14, low: 0, doc: d}", "{name: b, high: 31, low: 16, doc: d}"),
        PLACE + "field word: bits 15 to 15 are unnamed");
  }

  @Test
  void shouldRefuseBitsThatDoNotFillTheWord() {
    assertRefused(
        bits("{name: a, high: 30, low: 0, doc: d}"),
        PLACE + "field word: bits cover 0 to 30 of a word of 32 bits");
  }

  @Test
  void shouldRefuseBitsBeyondTheWord() {
    assertRefused(
        bits("{name: a, high: 32, low: 0, doc: d}"),
        PLACE + "field word: bits cover 0 to 32 of a word of 32 bits");
  }

  @Test
  void shouldRefuseAnUnknownType() {
    assertRefused(
        layout(VALUE.replace("u64", "u128")),
        PLACE + "field value: unknown type 'u128'; known are u8, u16, u32, u64, bytes, struct");
  }

  @Test
  void shouldRefuseAnUnknownStruct() {
    assertRefused(
        layout("- {name: inner, offset: 0, type: struct, layout: absent, doc: d}"),
        PLACE + "field inner: unknown layout 'absent'");
  }

  @Test
  void shouldRefuseALayoutThatContainsItself() {
    assertRefused(
        layout("- {name: inner, offset: 0, type: struct, layout: thing, doc: d}"),
        PLACE + "field inner: layout 'thing' contains thing");
  }

  @Test
  void shouldRefuseADuplicateField() {
    assertRefused(
        layout(
            "- {name: value, offset: 0, type: u32, doc: d}",
            "- {name: value, offset: 4, type: u32, doc: d}"),
        PLACE + "field value: duplicate name (VALUE_OFFSET)");
  }

  @Test
  void shouldRefuseADuplicateLayout() {
    assertRefused(
        layout(VALUE) + "---\n" + layout(VALUE), PLACE + "name is already taken (ThingLayout)");
  }

  @Test
  void shouldRefuseADuplicateEnumNumber() {
    assertRefused(
        layout(VALUE)
            + """
            enums:
              - name: colour
                doc: d
                values: [{name: red, value: 1, doc: d}, {name: blue, value: 1, doc: d}]
            """,
        PLACE + "enum colour: value blue: number 1 is already taken");
  }

  @Test
  void shouldRefuseAConstantThatDoesNotFitItsType() {
    assertRefused(
        layout(VALUE) + "constants: [{name: bound, type: u8, value: \"256\", doc: d}]",
        PLACE + "constant bound: 256 does not fit u8");
  }

  @Test
  void shouldRefuseAKeyItDoesNotKnow() {
    assertRefused(
        layout(VALUE.replace("doc: d", "doc: d, ofset: 1")),
        PLACE + "field value: unknown key 'ofset'");
  }

  private static String colours(String... values) {
    return layout(VALUE)
        + "enums: [{name: colour, doc: d, flags: true, values: ["
        + String.join(", ", values)
        + "]}]\n";
  }

  @Test
  void shouldRefuseAFlagOfSeveralBits() {
    assertRefused(
        colours("{name: red, value: 1, doc: d}", "{name: blue, value: 3, doc: d}"),
        PLACE + "enum colour: value blue: a flag is one bit, found 3");
  }

  @Test
  void shouldRefuseAVersionThatNoConstantIs() {
    assertRefused(
        layout(VALUE).replace("versions: []", "versions: [thing.version]"),
        PLACE + "versions: there is no constant thing.version");
    assertRefused(
        layout(VALUE).replace("versions: []", "versions: [version]"),
        PLACE + "a version is layout.constant of a constant, found 'version'");
  }

  @Test
  void shouldRefuseAnUnknownLanguage() {
    assertRefused(
        layout(VALUE).replace("python", "cobol"),
        PLACE + "unknown language 'cobol'; known are c, java, python");
  }

  @Test
  void shouldRefuseALanguageThatTheLayoutDoesNotHave() {
    assertRefused(
        layout(VALUE.replace("doc: d", "doc: d, languages: [c, python]"))
            .replace("[c, java, python]", "[c, java]"),
        PLACE + "field value: 'languages' names one that the layout does not");
  }

  @Test
  void shouldRefuseACStructWithAHole() {
    assertRefused(
        layout(VALUE.replace("doc: d", "doc: d, languages: [java]")),
        PLACE + "field value: a C struct has all fields: 'languages' must name c");
  }

  private static final String OUTER =
      """
      ---
      layout: outer
      title: Outer
      size_bytes: 8
      byte_order: little
      versions: [thing.version]
      languages: [c, java]
      summary: s
      fields: [{name: inner, offset: 0, type: struct, layout: thing, doc: d}]
      """;

  private static String inner() {
    return layout(VALUE) + "constants: [{name: version, type: u32, value: \"1\", doc: d}]\n";
  }

  @Test
  void shouldRefuseAPartThatMayChangeWithoutTheWhole() {
    assertRefused(
        inner() + OUTER,
        "layout outer: field inner: layout 'thing' must belong to versions [thing.version]");
  }

  @Test
  void shouldRefuseAPartThatALanguageOfTheWholeDoesNotGet() {
    assertRefused(
        inner().replace("versions: []", "versions: [thing.version]").replace("c, java, ", "java, ")
            + OUTER,
        "layout outer: field inner: languages: layout 'thing' has not all of them");
  }

  @Test
  void shouldRefuseAnExampleWithAFieldThatIsNotThere() {
    assertExampleRefused("{title: t, values: {valeu: 1}}", "no such field: [valeu]");
  }

  @Test
  void shouldRefuseAnExampleValueThatDoesNotFit() {
    assertExampleRefused("{title: t, values: {value: -1}}", "value: -1 does not fit u64");
  }

  private static void assertExampleRefused(String example, String problem) {
    Page page = AbiReader.page("test", layout(VALUE) + "example: " + example);
    Abi abi = AbiReader.validated(new Abi(List.of(page)));

    assertThatThrownBy(() -> Generator.generate(abi))
        .isInstanceOf(AbiException.class)
        .hasMessage("layout thing: example: " + problem);
  }
}
