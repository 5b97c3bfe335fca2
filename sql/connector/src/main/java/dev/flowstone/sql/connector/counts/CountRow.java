// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.counts;

import dev.flowstone.sql.connector.packets.FlyweightRow;
import java.util.List;

/** An entry of the table as a row. */
final class CountRow extends FlyweightRow {
  private final CountTable table;
  private final CountKey key;
  private final CountField[] fields;

  /** Of a field that is one of the key's: the which. */
  private final int[] keyColumns;

  private final long intervalMs;
  private int entry;
  private long lostBefore;

  CountRow(CountTable table, CountKey key, List<CountField> fields, long intervalMs) {
    super(fields.size());
    this.table = table;
    this.key = key;
    this.fields = fields.toArray(CountField[]::new);
    this.intervalMs = intervalMs;
    keyColumns = new int[this.fields.length];
    int next = 0;
    for (int i = 0; i < this.fields.length; i++) {
      keyColumns[i] = this.fields[i] instanceof CountField.Key ? next++ : -1;
    }
  }

  void moveTo(int next, long lost) {
    entry = next;
    lostBefore = lost;
  }

  @Override
  protected long number(int field) {
    return switch (fields[field]) {
      case CountField.Key _ -> key.number(table, entry, keyColumns[field]);
      case CountField.Told.ROWTIME -> CountKey.interval(table, entry) * intervalMs;
      case CountField.Told.PACKETS -> table.packets(entry);
      case CountField.Told.BYTES -> table.bytes(entry);
      case CountField.Told.LOST_BEFORE -> lostBefore;
    };
  }

  @Override
  protected String text(int field) {
    return key.addressText(table, entry, keyColumns[field]);
  }

  @Override
  public boolean isNullAt(int field) {
    return keyColumns[field] >= 0 && !CountKey.isPresent(table, entry, keyColumns[field]);
  }
}
