// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.packets;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;

/** The columns that somebody declared, held against those that there are. */
public final class TableColumns {
  private TableColumns() {}

  /**
   * Their names.
   *
   * @param what has the columns, for whom it concerns
   * @param declared a row of them
   * @throws ValidationException if there is none of such a name, or it is of another type
   */
  public static List<String> require(String what, Map<String, DataType> known, DataType declared) {
    List<DataTypes.Field> fields = DataType.getFields(declared);
    fields.forEach(field -> require(what, known, field));
    return fields.stream().map(DataTypes.Field::getName).toList();
  }

  private static void require(String what, Map<String, DataType> known, DataTypes.Field declared) {
    String name = declared.getName();
    if (!known.containsKey(name)) {
      throw new ValidationException(
          "%s have no column %s; they have: %s".formatted(what, name, list(known)));
    }
    LogicalType has = known.get(name).getLogicalType();
    LogicalType asked = declared.getDataType().getLogicalType();
    if (!asked.copy(true).equals(has.copy(true)) || (!asked.isNullable() && has.isNullable())) {
      throw new ValidationException("column %s is %s, not %s".formatted(name, has, asked));
    }
  }

  private static String list(Map<String, DataType> columns) {
    return columns.entrySet().stream()
        .map(column -> column.getKey() + " " + column.getValue())
        .collect(Collectors.joining(", "));
  }
}
