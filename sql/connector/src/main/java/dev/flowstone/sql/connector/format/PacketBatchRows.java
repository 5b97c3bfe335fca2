// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchException;
import dev.flowstone.format.PacketBatchHeader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.util.Collector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A message becomes as many rows as it has packets. */
final class PacketBatchRows implements DeserializationSchema<RowData> {
  private static final long serialVersionUID = 1L;
  private static final long RECORD_BYTES = 64;
  private static final Logger LOG = LoggerFactory.getLogger(PacketBatchRows.class);

  private final MessageColumns columns;
  private final List<BatchPlace> metadata;
  private final TypeInformation<RowData> type;
  private final List<RowData.FieldGetter> fields;
  private final boolean isCopied;
  private final boolean ignoresErrors;

  private transient PacketBatchDecoder decoder;
  private transient MemorySegment records;
  private transient BatchRow row;
  private transient RowData asDeclared;
  private transient Counter unreadable;

  /**
   * @param metadata what stands behind the columns
   * @param type of rows that have both
   * @param fields of these rows
   * @param isCopied whether whoever takes rows wants one of Flink's own for each packet; else one
   *     for all packets will do
   * @param ignoresErrors whether what is no batch is counted and left out, and does not fail
   */
  PacketBatchRows(
      MessageColumns columns,
      List<BatchPlace> metadata,
      TypeInformation<RowData> type,
      List<RowData.FieldGetter> fields,
      boolean isCopied,
      boolean ignoresErrors) {
    this.columns = columns;
    this.metadata = List.copyOf(metadata);
    this.type = type;
    this.fields = List.copyOf(fields);
    this.isCopied = isCopied;
    this.ignoresErrors = ignoresErrors;
  }

  @Override
  public void open(InitializationContext context) {
    decoder = new PacketBatchDecoder();
    records = MemorySegment.NULL;
    List<BatchPlace> ofMessage = columns.ofMessage();
    row =
        new BatchRow(
            columns.ofPacket(), Stream.concat(ofMessage.stream(), metadata.stream()).toList());
    asDeclared = ofMessage.isEmpty() ? row : inDeclaredOrder(row);
    unreadable = context.getMetricGroup().counter("unreadableMessages");
  }

  private RowData inDeclaredOrder(RowData sorted) {
    return ProjectedRowData.from(columns.fieldsOfSorted(metadata.size())).replaceRow(sorted);
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
                + "; 'packets.ignore-parse-errors' = 'true' skips such messages",
            e);
      }
      if (unreadable.getCount() == 0) {
        LOG.warn(
            "messages that are not packet batches are skipped; the first one: {}", e.getMessage());
      }
      unreadable.inc();
      return;
    }
    row.moveTo(header, records);
    for (int i = 0; i < header.count(); i++) {
      row.moveTo(i * RECORD_BYTES, i == 0);
      out.collect(isCopied ? copy(asDeclared) : asDeclared);
    }
  }

  private GenericRowData copy(RowData moving) {
    GenericRowData copy = new GenericRowData(fields.size());
    for (int field = 0; field < fields.size(); field++) {
      copy.setField(field, fields.get(field).getFieldOrNull(moving));
    }
    return copy;
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
