// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.rules.Place;
import java.util.List;

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
