// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.ElementType;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.junit.jupiter.api.Test;

class OptionTypeTest {
  /** Whatever a name may sound like. */
  @Test
  void shouldBeThatOfTheOption() {
    ConfigOptions.OptionBuilder named = ConfigOptions.key("interval.of.names");
    assertThat(OptionType.of(named.stringType().noDefaultValue())).isEqualTo("text");
    assertThat(OptionType.of(named.booleanType().noDefaultValue())).isEqualTo("boolean");
    assertThat(OptionType.of(ConfigOptions.key("wait").durationType().noDefaultValue()))
        .isEqualTo("duration");
    assertThat(OptionType.of(ConfigOptions.key("folder").stringType().asList().noDefaultValue()))
        .isEqualTo("list, separated by `;`");
    assertThat(OptionType.of(named.enumType(ElementType.class).noDefaultValue()))
        .startsWith("`type`, `field`, ");
  }

  @Test
  void shouldNotBeGuessed() {
    ConfigOption<Integer> number = ConfigOptions.key("folders").intType().noDefaultValue();
    assertThatThrownBy(() -> OptionType.of(number))
        .hasMessageContaining("option folders takes, which is java.lang.Integer");
    assertThatThrownBy(
            () -> OptionType.of(ConfigOptions.key("ports").intType().asList().noDefaultValue()))
        .hasMessageContaining("option ports takes, which is a list of java.lang.Integer");
  }
}
