// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchException;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/** A message becomes as many rows as it has packets. */
final class PacketBatchRows implements DeserializationSchema<RowData> {
  private static final long serialVersionUID = 1L;
  private static final long RECORD_BYTES = 64;

  private final List<PacketColumn> columns;
  private final List<BatchPlace> places;
  private final TypeInformation<RowData> type;
  private final boolean ignoresErrors;

  private transient PacketBatchDecoder decoder;
  private transient MemorySegment records;
  private transient BatchRow row;
  private transient Counter unreadable;

  /**
   * @param type of rows that have these columns and places
   * @param ignoresErrors whether what is no batch is counted and left out, and does not fail
   */
  PacketBatchRows(
      List<PacketColumn> columns,
      List<BatchPlace> places,
      TypeInformation<RowData> type,
      boolean ignoresErrors) {
    this.columns = List.copyOf(columns);
    this.places = List.copyOf(places);
    this.type = type;
    this.ignoresErrors = ignoresErrors;
  }

  @Override
  public void open(InitializationContext context) {
    decoder = new PacketBatchDecoder();
    records = MemorySegment.NULL;
    row = new BatchRow(columns, places);
    unreadable = context.getMetricGroup().counter("unreadableMessages");
  }

  @Override
  public void deserialize(byte[] message, Collector<RowData> out) throws IOException {
    PacketBatchHeader header;
    try {
      header = decode(message);
    } catch (PacketBatchException e) {
      if (!ignoresErrors) {
        throw new IOException(
            "not a batch of packets: "
                + e.getMessage()
                + "; with 'packets.ignore-parse-errors' = 'true' such messages are left out",
            e);
      }
      unreadable.inc();
      return;
    }
    row.moveTo(header, records);
    for (int i = 0; i < header.count(); i++) {
      row.moveTo(i * RECORD_BYTES, i == 0);
      out.collect(row);
    }
  }

  private PacketBatchHeader decode(byte[] message) {
    long bytes = decoder.readHeader(message).count() * RECORD_BYTES;
    if (records.byteSize() < bytes) {
      records = Arena.ofAuto().allocate(Long.highestOneBit(bytes) << 1, RECORD_BYTES);
    }
    return decoder.decode(message, records);
  }

  @Override
  public RowData deserialize(byte[] message) {
    throw new UnsupportedOperationException("a message has any number of packets");
  }

  @Override
  public boolean isEndOfStream(RowData next) {
    return false;
  }

  @Override
  public TypeInformation<RowData> getProducedType() {
    return type;
  }
}
