// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.packets;

import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.variant.Variant;

/**
 * Numbers, truth values, times and texts, read where they lie: one object for all rows, moved from
 * one to the next. Whoever keeps a row copies it, as Flink's operators do. One thread.
 */
public abstract class FlyweightRow implements RowData {
  private final int arity;

  protected FlyweightRow(int arity) {
    this.arity = arity;
  }

  /** A field that is no text: 1 for true, milliseconds of a time. */
  protected abstract long number(int field);

  protected abstract String text(int field);

  @Override
  public int getArity() {
    return arity;
  }

  @Override
  public RowKind getRowKind() {
    return RowKind.INSERT;
  }

  @Override
  public void setRowKind(RowKind kind) {
    if (kind != RowKind.INSERT) {
      throw new UnsupportedOperationException("rows are never taken back: " + kind);
    }
  }

  @Override
  public boolean getBoolean(int field) {
    return number(field) != 0;
  }

  @Override
  public int getInt(int field) {
    return (int) number(field);
  }

  @Override
  public long getLong(int field) {
    return number(field);
  }

  @Override
  public StringData getString(int field) {
    return StringData.fromString(text(field));
  }

  @Override
  public TimestampData getTimestamp(int field, int precision) {
    return TimestampData.fromEpochMillis(number(field));
  }

  @Override
  public byte getByte(int field) {
    throw none("TINYINT");
  }

  @Override
  public short getShort(int field) {
    throw none("SMALLINT");
  }

  @Override
  public float getFloat(int field) {
    throw none("FLOAT");
  }

  @Override
  public double getDouble(int field) {
    throw none("DOUBLE");
  }

  @Override
  public DecimalData getDecimal(int field, int precision, int scale) {
    throw none("DECIMAL");
  }

  @Override
  public <T> RawValueData<T> getRawValue(int field) {
    throw none("RAW");
  }

  @Override
  public byte[] getBinary(int field) {
    throw none("BYTES");
  }

  @Override
  public ArrayData getArray(int field) {
    throw none("ARRAY");
  }

  @Override
  public MapData getMap(int field) {
    throw none("MAP");
  }

  @Override
  public RowData getRow(int field, int fieldCount) {
    throw none("ROW");
  }

  @Override
  public Variant getVariant(int field) {
    throw none("VARIANT");
  }

  private static UnsupportedOperationException none(String type) {
    return new UnsupportedOperationException("no column is a " + type);
  }
}
