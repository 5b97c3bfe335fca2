// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import java.util.Locale;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;

/** Where a packet was found: metadata of a table of rings. */
enum BlockPlace {
  /** Number of the ring among its tap's. */
  RING(DataTypes.INT()),
  /** The ring's own number over all hosts and restarts, as batches and alerts have it. */
  RING_STREAM(DataTypes.STRING()),
  RING_POSITION(DataTypes.BIGINT()),
  /** Packets of the ring lost since its row before, whichever rows a filter left out. */
  LOST_BEFORE(DataTypes.BIGINT());

  @SuppressWarnings("ImmutableEnumChecker") // is immutable, but does not say so
  private final DataType type;

  BlockPlace(DataType type) {
    this.type = type.notNull();
  }

  String columnName() {
    return name().toLowerCase(Locale.ROOT);
  }

  DataType type() {
    return type;
  }
}
