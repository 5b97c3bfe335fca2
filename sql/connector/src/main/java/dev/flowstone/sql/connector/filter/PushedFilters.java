// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.filter;

import dev.flowstone.rules.AddressMatch;
import dev.flowstone.sql.connector.functions.InPrefix;
import dev.flowstone.sql.connector.packets.PacketColumn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import org.apache.flink.table.expressions.CallExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.expressions.ResolvedExpression;
import org.apache.flink.table.expressions.ValueLiteralExpression;
import org.apache.flink.table.functions.BuiltInFunctionDefinitions;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * What of a WHERE is tried on packets where they lie, so that no row is made of the others. What is
 * not understood is left to Flink.
 */
public final class PushedFilters {
  private final Predicate<PacketColumn> known;
  private final List<ResolvedExpression> accepted = new ArrayList<>();
  private final List<ResolvedExpression> remaining = new ArrayList<>();
  private PacketTest test;

  /**
   * Sorts the parts of a WHERE, of which all must hold.
   *
   * @param filters as the planner gives them
   * @param known columns of which a packet's own value decides
   */
  public static PushedFilters of(List<ResolvedExpression> filters, Predicate<PacketColumn> known) {
    PushedFilters pushed = new PushedFilters(known);
    filters.forEach(pushed::add);
    return pushed;
  }

  private PushedFilters(Predicate<PacketColumn> known) {
    this.known = known;
  }

  private void add(ResolvedExpression filter) {
    Optional<PacketTest> understood = test(filter, true);
    if (understood.isEmpty()) {
      remaining.add(filter);
      return;
    }
    accepted.add(filter);
    test = test == null ? understood.get() : PacketTest.both(test, understood.get());
  }

  public List<ResolvedExpression> accepted() {
    return List.copyOf(accepted);
  }

  public List<ResolvedExpression> remaining() {
    return List.copyOf(remaining);
  }

  /** All that was accepted, together; empty: nothing was. */
  public Optional<PacketTest> test() {
    return Optional.ofNullable(test);
  }

  /**
   * The test of an expression.
   *
   * @param wanted false: of its opposite, which of UNKNOWN is UNKNOWN, too
   */
  private Optional<PacketTest> test(ResolvedExpression expression, boolean wanted) {
    return switch (expression) {
      case FieldReferenceExpression field ->
          column(field).filter(PushedFilters::isTruth).map(column -> truth(column, wanted));
      case CallExpression call -> test(call, wanted);
      default -> Optional.empty();
    };
  }

  private static PacketTest truth(PacketColumn column, boolean wanted) {
    OptionalInt flag = column.tcpFlag();
    return flag.isPresent()
        ? new PacketTest.TcpFlags(flag.getAsInt(), wanted ? flag.getAsInt() : 0)
        : new PacketTest.Within(column, wanted ? 1 : 0, wanted ? 1 : 0);
  }

  private Optional<PacketTest> test(CallExpression call, boolean wanted) {
    FunctionDefinition function = call.getFunctionDefinition();
    List<ResolvedExpression> of = call.getResolvedChildren();
    // Flink has carried NOT down to what these hold together.
    if (function.equals(BuiltInFunctionDefinitions.AND)) {
      return wanted ? all(of, PacketTest::both) : Optional.empty();
    }
    if (function.equals(BuiltInFunctionDefinitions.OR)) {
      return wanted ? all(of, PacketTest.Or::new) : Optional.empty();
    }
    if (function.equals(BuiltInFunctionDefinitions.NOT)) {
      return test(of.getFirst(), !wanted);
    }
    if (function.equals(BuiltInFunctionDefinitions.IS_NOT_NULL)) {
      return present(of.getFirst(), wanted);
    }
    if (function.equals(BuiltInFunctionDefinitions.IS_NULL)) {
      return present(of.getFirst(), !wanted);
    }
    if (function instanceof InPrefix) {
      return inPrefix(of, wanted);
    }
    return comparison(function, of, wanted);
  }

  private Optional<PacketTest> inPrefix(List<ResolvedExpression> of, boolean wanted) {
    return column(of.getFirst())
        .filter(PacketColumn::isAddress)
        .flatMap(
            column ->
                text(of.getLast())
                    .map(
                        prefix ->
                            new PacketTest.InPrefix(column, AddressMatch.parse(prefix), wanted)));
  }

  private static Optional<String> text(ResolvedExpression expression) {
    return expression instanceof ValueLiteralExpression literal && !literal.isNull()
        ? literal.getValueAs(String.class)
        : Optional.empty();
  }

  private Optional<PacketTest> all(
      List<ResolvedExpression> parts, BinaryOperator<PacketTest> together) {
    List<PacketTest> tests = new ArrayList<>();
    for (ResolvedExpression part : parts) {
      Optional<PacketTest> test = test(part, true);
      if (test.isEmpty()) {
        return Optional.empty();
      }
      tests.add(test.get());
    }
    return tests.stream().reduce(together);
  }

  private Optional<PacketTest> present(ResolvedExpression expression, boolean wanted) {
    return column(expression).map(column -> new PacketTest.Present(column, wanted));
  }

  private Optional<PacketTest> comparison(
      FunctionDefinition function, List<ResolvedExpression> of, boolean wanted) {
    Optional<Comparison> comparison = Comparison.of(function);
    if (comparison.isEmpty() || of.size() != 2) {
      return Optional.empty();
    }
    Comparison asked = wanted ? comparison.get() : comparison.get().opposite();
    return column(of.getFirst()).isPresent()
        ? compare(of.getFirst(), asked, of.getLast())
        : compare(of.getLast(), asked.mirrored(), of.getFirst());
  }

  private Optional<PacketTest> compare(
      ResolvedExpression field, Comparison comparison, ResolvedExpression value) {
    if (!(value instanceof ValueLiteralExpression literal) || literal.isNull()) {
      return Optional.empty();
    }
    return column(field)
        .flatMap(
            column ->
                column.isAddress()
                    ? address(column, comparison, literal)
                    : number(literal).map(number -> comparison.test(column, number)));
  }

  /** An address in a form of its own, as 10.0.0.01, equals none that is written. */
  private static Optional<PacketTest> address(
      PacketColumn column, Comparison comparison, ValueLiteralExpression literal) {
    if (comparison != Comparison.EQUAL && comparison != Comparison.NOT_EQUAL) {
      return Optional.empty();
    }
    return literal
        .getValueAs(String.class)
        .flatMap(PushedFilters::canonical)
        .map(one -> new PacketTest.InPrefix(column, one, comparison == Comparison.EQUAL));
  }

  private static Optional<AddressMatch> canonical(String text) {
    try {
      AddressMatch match = AddressMatch.parse(text);
      return match.toString().equals(text) ? Optional.of(match) : Optional.empty();
    } catch (IllegalArgumentException noAddress) {
      return Optional.empty();
    }
  }

  private static Optional<Long> number(ValueLiteralExpression literal) {
    return literal
        .getValueAs(Number.class)
        .filter(number -> number.doubleValue() == number.longValue())
        .map(Number::longValue);
  }

  private static boolean isTruth(PacketColumn column) {
    return column.type().getLogicalType().is(LogicalTypeRoot.BOOLEAN);
  }

  private Optional<PacketColumn> column(ResolvedExpression expression) {
    return expression instanceof FieldReferenceExpression field
        ? PacketColumn.named(field.getName()).filter(known)
        : Optional.empty();
  }
}
