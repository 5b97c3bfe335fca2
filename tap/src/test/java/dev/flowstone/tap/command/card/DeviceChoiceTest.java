// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.tap.card.CardAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** What {@code --device} takes. */
class DeviceChoiceTest {
  private static DeviceChoice choice(String text) {
    return new DeviceChoice.Converter().convert(text);
  }

  @Test
  void shouldKnowCardsByNumberAndPlace() {
    assertThat(choice("3")).isEqualTo(new DeviceChoice.Real(new CardAddress.ByNumber(3)));
    assertThat(choice("0000:3b:00.1"))
        .isEqualTo(new DeviceChoice.Real(new CardAddress.ByPlace("0000:3b:00.1")));
  }

  @Test
  void shouldKnowEmulatedCards() {
    assertThat(choice("emulated")).isEqualTo(new DeviceChoice.Emulated("model"));
    assertThat(choice("emulated:model")).isEqualTo(new DeviceChoice.Emulated("model"));
    assertThat(choice("emulated:rtl")).isEqualTo(new DeviceChoice.Emulated("rtl"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "card", "emulated:", "emulated:fast", "emulatedrtl", "3b:00"})
  void shouldRefuseWhatIsNone(String text) {
    assertThatThrownBy(() -> choice(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("card is");
  }
}
