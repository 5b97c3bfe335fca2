// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.operators.ruled.RulesInForce;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnonymisationKeysTest {
  private static final byte[] KEY = PrefixCipherTest.sampleKey();
  private static final RulesInForce RULES =
      ChoiceHarness.rules("rules: []\ndefault: {function: {pass: {anonymise: campus}}}");

  @TempDir private Path folder;

  private AnonymisationKeys keys(byte[] content) throws Exception {
    Path file = folder.resolve("key");
    Files.write(file, content);
    return AnonymisationKeys.read(Map.of("campus", file));
  }

  @Test
  void shouldReadBytesAndDigitsAlike() throws Exception {
    String digits = HexFormat.of().formatHex(KEY) + "\n";
    for (AnonymisationKeys keys :
        new AnonymisationKeys[] {keys(KEY), keys(digits.getBytes(US_ASCII))}) {
      keys.require(RULES.rules());
      Anonymiser anonymiser = new Anonymisers(keys).of(RULES.rules().defaultRule()).orElseThrow();
      assertThat(anonymiser.ipv4(0x800b_4484)).isEqualTo(0x87f2_b484);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret",
        "00112233445566778899aabbccddeeff",
        "00112233445566778899aabbccddeeff0"
      })
  void shouldRefuseWhatIsNoKeyWithoutRepeatingIt(String content) {
    assertThatThrownBy(() -> keys(content.getBytes(US_ASCII)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "key campus: %s: a key is 32 bytes, or 64 hexadecimal digits, as openssl rand -hex 32 makes them",
            folder.resolve("key"));
  }

  @Test
  void shouldNameAFileThatIsNotThere() {
    Path file = folder.resolve("none");
    assertThatThrownBy(() -> AnonymisationKeys.read(Map.of("campus", file)))
        .hasMessage("key campus: cannot read " + file);
  }

  @Test
  void shouldRefuseRulesWhoseKeyNobodyGave() {
    assertThatThrownBy(() -> AnonymisationKeys.NONE.require(RULES.rules()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--anonymise-key campus=FILE");
  }
}
