// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.sql.connector.packets.PacketColumn;
import dev.flowstone.sql.connector.packets.PacketRow;
import java.util.List;

/** A packet of a block as a row. */
final class BlockRow extends PacketRow {
  private final BlockPlace[] places;

  private PacketBlock block;
  private int index;
  private long lostBefore;

  BlockRow(List<PacketColumn> columns, List<BlockPlace> places) {
    super(columns, places.size());
    this.places = places.toArray(BlockPlace[]::new);
  }

  /** Before the first packet of a block. */
  void moveTo(PacketBlock next) {
    block = next;
    moveTo(next.segment(), next.timeBaseNs());
  }

  /** To a packet of the block; what was lost before the row is told with it. */
  void moveTo(int packet, long offsetBytes, long lost) {
    index = packet;
    lostBefore = lost;
    moveTo(offsetBytes);
  }

  @Override
  protected long placeNumber(int place) {
    return switch (places[place]) {
      case RING -> block.ring();
      case RING_POSITION -> block.positionOf(index);
      case LOST_BEFORE -> lostBefore;
      case RING_STREAM -> throw new IllegalStateException("a stream is named by a text");
    };
  }

  @Override
  protected String placeText(int place) {
    return StreamNumber.text(block.stream());
  }
}
