// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.filter;

import dev.flowstone.sql.connector.packets.PacketColumn;
import java.util.Optional;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;

/** How a column is compared with a number. */
enum Comparison {
  EQUAL,
  NOT_EQUAL,
  LESS,
  LESS_OR_EQUAL,
  GREATER,
  GREATER_OR_EQUAL;

  static Optional<Comparison> of(FunctionDefinition function) {
    if (function.equals(BuiltInFunctionDefinitions.EQUALS)) {
      return Optional.of(EQUAL);
    } else if (function.equals(BuiltInFunctionDefinitions.NOT_EQUALS)) {
      return Optional.of(NOT_EQUAL);
    } else if (function.equals(BuiltInFunctionDefinitions.LESS_THAN)) {
      return Optional.of(LESS);
    } else if (function.equals(BuiltInFunctionDefinitions.LESS_THAN_OR_EQUAL)) {
      return Optional.of(LESS_OR_EQUAL);
    } else if (function.equals(BuiltInFunctionDefinitions.GREATER_THAN)) {
      return Optional.of(GREATER);
    } else if (function.equals(BuiltInFunctionDefinitions.GREATER_THAN_OR_EQUAL)) {
      return Optional.of(GREATER_OR_EQUAL);
    }
    return Optional.empty();
  }

  /** True where this is false. */
  Comparison opposite() {
    return switch (this) {
      case EQUAL -> NOT_EQUAL;
      case NOT_EQUAL -> EQUAL;
      case LESS -> GREATER_OR_EQUAL;
      case LESS_OR_EQUAL -> GREATER;
      case GREATER -> LESS_OR_EQUAL;
      case GREATER_OR_EQUAL -> LESS;
    };
  }

  /** The same with its sides exchanged. */
  Comparison mirrored() {
    return switch (this) {
      case EQUAL, NOT_EQUAL -> this;
      case LESS -> GREATER;
      case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
      case GREATER -> LESS;
      case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
    };
  }

  PacketTest test(PacketColumn column, long number) {
    return switch (this) {
      case EQUAL -> new PacketTest.Within(column, number, number);
      case NOT_EQUAL -> new PacketTest.Or(below(column, number), above(column, number));
      case LESS -> below(column, number);
      case LESS_OR_EQUAL -> new PacketTest.Within(column, Long.MIN_VALUE, number);
      case GREATER -> above(column, number);
      case GREATER_OR_EQUAL -> new PacketTest.Within(column, number, Long.MAX_VALUE);
    };
  }

  private static PacketTest below(PacketColumn column, long number) {
    return number == Long.MIN_VALUE
        ? never(column)
        : new PacketTest.Within(column, Long.MIN_VALUE, number - 1);
  }

  private static PacketTest above(PacketColumn column, long number) {
    return number == Long.MAX_VALUE
        ? never(column)
        : new PacketTest.Within(column, number + 1, Long.MAX_VALUE);
  }

  private static PacketTest never(PacketColumn column) {
    return new PacketTest.Within(column, 1, 0);
  }
}
