// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import dev.flowstone.format.BatchOrigin;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchEncoder;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.sql.connector.packets.PacketColumn;
import dev.flowstone.sql.connector.packets.PacketRecordWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.table.data.RowData;

/**
 * A row becomes a message of one packet, of no ring that anybody knows: Flink asks for a message
 * for each row.
 */
final class RowPackets implements SerializationSchema<RowData> {
  private static final long serialVersionUID = 1L;

  private final List<PacketColumn> columns;

  private transient PacketRecordWriter writer;
  private transient PacketBatchEncoder encoder;
  private transient MemorySegment record;

  RowPackets(List<PacketColumn> columns) {
    this.columns = List.copyOf(columns);
  }

  @Override
  public void open(InitializationContext context) {
    writer = new PacketRecordWriter(columns);
    encoder = new PacketBatchEncoder(BodyKind.RAW, 1);
    record = Arena.ofAuto().allocate(PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);
  }

  @Override
  public byte[] serialize(RowData row) {
    long timeNs = writer.write(row, record);
    BatchOrigin origin =
        new BatchOrigin(StreamNumber.UNKNOWN, 0, 0, timeNs, true, PacketLoss.NONE, 0, 1);
    return encoder.encode(origin, record, 0, 1);
  }
}
