// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Protocols;
import dev.flowstone.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** Turns rules into the fields that they ask for; what no rule asks for is left out. */
final class FieldCompiler {
  /** The descriptor's byte that says kind, ingress port and later fragment: its highest. */
  private static final int TRAITS_SHIFT = 24;

  private static final int TRAITS_OFFSET = (int) PacketRecordLayout.DESCRIPTOR_OFFSET + 3;

  /** Of each bit what its rule asks. */
  private final List<Match> matches;

  private final int words;
  private final List<Field> fields = new ArrayList<>();

  private FieldCompiler(RuleSet rules, BitOrder order) {
    matches =
        Arrays.stream(order.rules())
            .limit(rules.size() - 1L)
            .mapToObj(rule -> rules.rules().get(rule).match())
            .toList();
    words = order.words();
  }

  static Field[] fields(RuleSet rules, BitOrder order) {
    return new FieldCompiler(rules, order).compiled();
  }

  private Field[] compiled() {
    addNumbers(TRAITS_OFFSET, NumberField.BYTE_VALUES, FieldCompiler::traits);
    addNumbers(
        (int) PacketRecordLayout.PROTOCOL_OFFSET,
        NumberField.BYTE_VALUES,
        FieldCompiler::protocols);
    addNumbers(
        (int) PacketRecordLayout.TCP_FLAGS_OFFSET,
        NumberField.BYTE_VALUES,
        match -> match.tcpFlags().map(FieldCompiler::values));
    addNumbers(
        (int) PacketRecordLayout.TYPE_OF_SERVICE_OFFSET,
        NumberField.BYTE_VALUES,
        match -> match.typeOfService().map(FieldCompiler::values));
    addNumbers(
        (int) PacketRecordLayout.SOURCE_PORT_OFFSET,
        NumberField.SHORT_VALUES,
        match -> match.sourcePort().map(FieldCompiler::values));
    addNumbers(
        (int) PacketRecordLayout.DESTINATION_PORT_OFFSET,
        NumberField.SHORT_VALUES,
        match -> match.destinationPort().map(FieldCompiler::values));
    addAddresses((int) PacketRecordLayout.SOURCE_ADDRESS_OFFSET, Match::source);
    addAddresses((int) PacketRecordLayout.DESTINATION_ADDRESS_OFFSET, Match::destination);
    return fields.toArray(Field[]::new);
  }

  private void addNumbers(
      int offsetBytes, int valueCount, Function<Match, Optional<BitSet>> values) {
    List<BitSet> allowed = new ArrayList<>();
    for (Match match : matches) {
      allowed.add(values.apply(match).filter(set -> set.cardinality() < valueCount).orElse(null));
    }
    NumberField.of(offsetBytes, valueCount, allowed, words).ifPresent(this::add);
  }

  /** With the one before, if that is better. */
  private void add(NumberField number) {
    Optional<Field> both =
        fields.isEmpty() ? Optional.empty() : PairedField.of(fields.getLast(), number, words);
    both.ifPresent(_ -> fields.removeLast());
    fields.add(both.orElse(number));
  }

  private void addAddresses(int offsetBytes, Function<Match, Optional<AddressMatch>> address) {
    List<Optional<AddressMatch>> asked = matches.stream().map(address).toList();
    AddressField.of(offsetBytes, asked, words).ifPresent(fields::add);
    fields.addAll(MaskedAddressField.of(offsetBytes, asked, words));
  }

  private static Optional<BitSet> traits(Match match) {
    return Optional.of(
        values(NumberField.BYTE_VALUES, traits -> match.allowsDescriptor(traits << TRAITS_SHIFT)));
  }

  /** Flags are TCP's, whoever else has such bits there. */
  private static Optional<BitSet> protocols(Match match) {
    if (match.tcpFlags().isEmpty()) {
      return match.protocol().map(FieldCompiler::values);
    }
    ByteMatch asked = match.protocol().orElse(new ByteMatch(0, 0));
    return Optional.of(
        values(
            NumberField.BYTE_VALUES,
            number -> number == Protocols.TCP && asked.matches(Protocols.TCP)));
  }

  private static BitSet values(ByteMatch asked) {
    return values(NumberField.BYTE_VALUES, asked::matches);
  }

  private static BitSet values(PortMatch asked) {
    return switch (asked) {
      case PortMatch.Ranges(List<PortMatch.Range> ranges) -> {
        BitSet ports = new BitSet();
        ranges.forEach(range -> ports.set(range.first(), range.last() + 1));
        yield ports;
      }
      case PortMatch.Masked(int value, int mask) -> valuesUnder(value, mask);
    };
  }

  /** Each setting of the bits that the mask leaves open, from all of them down to none. */
  private static BitSet valuesUnder(int value, int mask) {
    BitSet values = new BitSet(NumberField.SHORT_VALUES);
    int open = ~mask & PortMatch.MOST_PORT;
    for (int some = open; some != 0; some = (some - 1) & open) {
      values.set(value | some);
    }
    values.set(value);
    return values;
  }

  private static BitSet values(int count, IntPredicate taken) {
    BitSet values = new BitSet(count);
    IntStream.range(0, count).filter(taken).forEach(values::set);
    return values;
  }
}
