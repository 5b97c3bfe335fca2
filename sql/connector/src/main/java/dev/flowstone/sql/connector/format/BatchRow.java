// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.sql.connector.packets.PacketColumn;
import dev.flowstone.sql.connector.packets.PacketRow;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A packet of a message as a row. */
final class BatchRow extends PacketRow {
  private final BatchPlace[] places;

  private PacketBatchHeader header;
  private boolean isFirst;

  BatchRow(List<PacketColumn> columns, List<BatchPlace> places) {
    super(columns, places.size());
    this.places = places.toArray(BatchPlace[]::new);
  }

  void moveTo(PacketBatchHeader next, MemorySegment records) {
    header = next;
    moveTo(records, next.timeBaseNs());
  }

  void moveTo(long offsetBytes, boolean first) {
    isFirst = first;
    moveTo(offsetBytes);
  }

  @Override
  protected long placeNumber(int place) {
    return switch (places[place]) {
      case RING -> header.ring();
      case WEIGHT -> header.samplingWeight();
      case RULE -> header.rule();
      case LOST_BEFORE -> isFirst ? lost(header.lossBefore()) : 0;
      case RING_STREAM -> throw new IllegalStateException("a stream is named by a text");
    };
  }

  private static long lost(PacketLoss loss) {
    return loss.inRing() + loss.beforeTap();
  }

  @Override
  protected String placeText(int place) {
    return StreamNumber.text(header.stream());
  }
}
