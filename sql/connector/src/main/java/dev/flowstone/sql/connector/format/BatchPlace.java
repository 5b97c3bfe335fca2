// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;

/** What a message says of all its packets: metadata of its rows, or columns. */
enum BatchPlace {
  /** Number of the ring among its tap's. */
  RING(DataTypes.INT()),
  /** The ring's own number over all hosts and restarts. */
  RING_STREAM(DataTypes.STRING()),
  /** How many packets this one stands for. */
  WEIGHT(DataTypes.BIGINT()),
  /** Place of the rule that chose the packet among those in force, 1 for the first; 0: none. */
  RULE(DataTypes.INT()),
  /** Packets of the stream lost before the message; its first row tells of them. */
  LOST_BEFORE(DataTypes.BIGINT());

  @SuppressWarnings("ImmutableEnumChecker") // is immutable, but does not say so
  private final DataType type;

  BatchPlace(DataType type) {
    this.type = type.notNull();
  }

  String placeName() {
    return name().toLowerCase(Locale.ROOT);
  }

  DataType type() {
    return type;
  }

  static BatchPlace named(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  static Map<String, DataType> types() {
    Map<String, DataType> types = new LinkedHashMap<>();
    Arrays.stream(values()).forEach(place -> types.put(place.placeName(), place.type));
    return types;
  }
}
