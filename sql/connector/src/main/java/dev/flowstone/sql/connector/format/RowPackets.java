// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import dev.flowstone.format.BatchOrigin;
import dev.flowstone.format.BodyKind;
import dev.flowstone.format.PacketBatchEncoder;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.sql.connector.packets.PacketRecordWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;

/**
 * A row becomes a message of one packet, of no ring that anybody knows: Flink asks for a message
 * for each row.
 */
final class RowPackets implements SerializationSchema<RowData> {
  private static final long serialVersionUID = 1L;

  private static final int UNSAMPLED = 1;
  private static final int NO_RULE = 0;
  private static final int MOST_WEIGHT = Integer.MAX_VALUE;
  private static final int MOST_RULE = 0xffff;

  private final MessageColumns columns;

  private transient ProjectedRowData packet;
  private transient int weightField;
  private transient int ruleField;
  private transient PacketRecordWriter writer;
  private transient PacketBatchEncoder encoder;
  private transient MemorySegment record;

  RowPackets(MessageColumns columns) {
    this.columns = columns;
  }

  @Override
  public void open(InitializationContext context) {
    packet = ProjectedRowData.from(columns.packetFields());
    weightField = columns.field(BatchPlace.WEIGHT);
    ruleField = columns.field(BatchPlace.RULE);
    writer = new PacketRecordWriter(columns.ofPacket());
    encoder = new PacketBatchEncoder(BodyKind.RAW, 1);
    record = Arena.ofAuto().allocate(PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);
  }

  @Override
  public byte[] serialize(RowData row) {
    long timeNs = writer.write(packet.replaceRow(row), record);
    BatchOrigin origin =
        new BatchOrigin(
            StreamNumber.UNKNOWN, 0, 0, timeNs, true, PacketLoss.NONE, rule(row), weight(row));
    return encoder.encode(origin, record, 0, 1);
  }

  private int weight(RowData row) {
    return isThere(row, weightField)
        ? require(BatchPlace.WEIGHT, row.getLong(weightField), UNSAMPLED, MOST_WEIGHT)
        : UNSAMPLED;
  }

  private int rule(RowData row) {
    return isThere(row, ruleField)
        ? require(BatchPlace.RULE, row.getInt(ruleField), NO_RULE, MOST_RULE)
        : NO_RULE;
  }

  private static boolean isThere(RowData row, int field) {
    return field >= 0 && !row.isNullAt(field);
  }

  private static int require(BatchPlace place, long value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must be %d to %d: %d".formatted(place.placeName(), least, most, value));
    }
    return (int) value;
  }
}
