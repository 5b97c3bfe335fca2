// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import dev.flowstone.sql.connector.packets.PacketColumn;
import dev.flowstone.sql.connector.packets.TableColumns;
import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.table.types.DataType;

/**
 * Columns of a table of messages: those of a packet, and those of what a message says of all its
 * packets that somebody may write. These are columns since Flink's Kafka connector asks no format
 * which metadata it writes.
 *
 * @param names in the table's order
 */
record MessageColumns(List<String> names) implements Serializable {
  private static final List<BatchPlace> WRITTEN = List.of(BatchPlace.WEIGHT, BatchPlace.RULE);

  MessageColumns {
    names = List.copyOf(names);
  }

  /**
   * Those that somebody declared.
   *
   * @throws org.apache.flink.table.api.ValidationException if there are no such columns
   */
  static MessageColumns of(DataType declared) {
    return new MessageColumns(TableColumns.require("packets", types(), declared));
  }

  private static Map<String, DataType> types() {
    Map<String, DataType> types = new LinkedHashMap<>(PacketColumn.types());
    WRITTEN.forEach(place -> types.put(place.placeName(), place.type()));
    return types;
  }

  List<PacketColumn> ofPacket() {
    return names.stream().map(PacketColumn::named).flatMap(Optional::stream).toList();
  }

  List<BatchPlace> ofMessage() {
    return WRITTEN.stream().filter(place -> names.contains(place.placeName())).toList();
  }

  /** Fields of a row that are of its packet, in the order of {@link #ofPacket}. */
  int[] packetFields() {
    return ofPacket().stream().mapToInt(column -> names.indexOf(column.columnName())).toArray();
  }

  /** The field of a row that has it; -1: none has. */
  int field(BatchPlace place) {
    return names.indexOf(place.placeName());
  }

  /**
   * Where a row that has {@link #ofPacket} first, {@link #ofMessage} then and others at last has
   * these columns, and the others behind them.
   */
  int[] fieldsOfSorted(int others) {
    List<String> sorted =
        Stream.concat(
                ofPacket().stream().map(PacketColumn::columnName),
                ofMessage().stream().map(BatchPlace::placeName))
            .toList();
    return IntStream.concat(
            names.stream().mapToInt(sorted::indexOf),
            IntStream.range(names.size(), names.size() + others))
        .toArray();
  }
}
