// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.counts;

import dev.flowstone.sql.connector.packets.PacketColumn;
import java.io.Serializable;

/** What a column of a table of counts holds. */
public sealed interface CountField extends Serializable {
  /** A column that packets are counted by. */
  record Key(PacketColumn column) implements CountField {}

  /** What is told of a key's packets. */
  enum Told implements CountField {
    /** Where the interval begins that they came in. */
    ROWTIME,
    PACKETS,
    /** Of their frames. */
    BYTES,
    /**
     * Packets lost since the row before, of all rings that the row's subtask reads, whichever
     * packets a filter left out.
     */
    LOST_BEFORE
  }
}
