// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.tap.card.CardAddress;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A card to take packets from. */
sealed interface DeviceChoice {
  /** One that is in the machine. */
  record Real(CardAddress address) implements DeviceChoice {}

  /** One that is a program; started with the tap, and ended with it. */
  record Emulated(String engine) implements DeviceChoice {}

  /** {@code 0}, {@code 0000:3b:00.1}, {@code emulated}, {@code emulated:rtl}. */
  final class Converter implements ITypeConverter<DeviceChoice> {
    private static final List<String> ENGINES = List.of("model", "rtl");
    private static final String EMULATED = "emulated";

    @Override
    public DeviceChoice convert(String text) {
      if (!text.startsWith(EMULATED)) {
        return real(text);
      }
      String engine =
          text.equals(EMULATED) ? ENGINES.getFirst() : text.substring(EMULATED.length() + 1);
      boolean isNamed = text.equals(EMULATED) || text.startsWith(EMULATED + ":");
      if (!isNamed || !ENGINES.contains(engine)) {
        throw new TypeConversionException(
            "an emulated card is emulated, emulated:model or emulated:rtl: " + text);
      }
      return new Emulated(engine);
    }

    private static DeviceChoice real(String text) {
      try {
        return new Real(CardAddress.parse(text));
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
