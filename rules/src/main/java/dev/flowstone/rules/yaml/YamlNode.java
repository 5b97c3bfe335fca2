// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.rules.Place;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;

/** A piece of a YAML document that knows where it stands. */
sealed interface YamlNode {
  Place place();

  /** As an error names it. */
  String described();

  /** What a scalar is by YAML's core schema. */
  enum Kind {
    TEXT,
    WHOLE,
    FRACTION,
    TRUTH,
    NOTHING
  }

  record Scalar(Place place, Kind kind, String text) implements YamlNode {
    private static final int MOST_SHOWN = 80;

    @Override
    public String described() {
      if (kind == Kind.NOTHING) {
        return "nothing";
      }
      return text.length() <= MOST_SHOWN ? text : text.substring(0, MOST_SHOWN) + "...";
    }

    /**
     * As the core schema has it, and as JSON does, to which 1.0 is whole. Empty if it is no number,
     * has a fraction or is beyond 64 bits.
     */
    Optional<Long> whole() {
      try {
        return switch (kind) {
          case WHOLE -> Optional.of(integer());
          case FRACTION -> Optional.of(text).filter(Scalar::isShort).map(Scalar::withoutFraction);
          case TEXT, TRUTH, NOTHING -> Optional.empty();
        };
      } catch (ArithmeticException | NumberFormatException e) {
        return Optional.empty();
      }
    }

    private static boolean isShort(String number) {
      return number.length() <= MOST_SHOWN;
    }

    private static long withoutFraction(String number) {
      return new BigDecimal(number).longValueExact();
    }

    private long integer() {
      if (text.startsWith("0o")) {
        return Long.parseLong(text.substring(2), 8);
      }
      return text.startsWith("0x") ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text);
    }
  }

  record Sequence(Place place, List<YamlNode> items) implements YamlNode {
    @Override
    public String described() {
      return "a list";
    }
  }

  record Mapping(Place place, List<Entry> entries) implements YamlNode {
    @Override
    public String described() {
      return "a mapping";
    }
  }

  record Entry(Scalar key, YamlNode value) {}
}
