// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.packets;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A packet as a row, behind which stand fields on where it was found. */
public abstract class PacketRow extends FlyweightRow {
  private final PacketColumn[] columns;

  private MemorySegment records;
  private long baseNs;
  private long at;

  /**
   * A row without a packet.
   *
   * @param columns of the packet, in the row's order
   * @param places how many fields stand behind them
   */
  protected PacketRow(List<PacketColumn> columns, int places) {
    super(columns.size() + places);
    this.columns = columns.toArray(PacketColumn[]::new);
  }

  /** Before the first of packets that have a time base in common. */
  protected final void moveTo(MemorySegment segment, long timeBaseNs) {
    records = segment;
    baseNs = timeBaseNs;
  }

  protected final void moveTo(long offsetBytes) {
    at = offsetBytes;
  }

  /** One of the fields behind; {@link #number} and {@link #text} for it. */
  protected abstract long placeNumber(int place);

  protected abstract String placeText(int place);

  @Override
  protected final long number(int field) {
    return field < columns.length
        ? columns[field].number(records, at, baseNs)
        : placeNumber(field - columns.length);
  }

  @Override
  protected final String text(int field) {
    return field < columns.length
        ? columns[field].addressText(records, at)
        : placeText(field - columns.length);
  }

  @Override
  public final boolean isNullAt(int field) {
    return field < columns.length && !columns[field].isPresent(records, at);
  }
}
