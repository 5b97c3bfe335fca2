// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import static dev.flowstone.model.abi.CardRuleKeyLayout.DESCRIPTOR_OFFSET;
import static dev.flowstone.model.abi.CardRuleKeyLayout.DESTINATION_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.CardRuleKeyLayout.DESTINATION_PORT_OFFSET;
import static dev.flowstone.model.abi.CardRuleKeyLayout.PROTOCOL_OFFSET;
import static dev.flowstone.model.abi.CardRuleKeyLayout.SOURCE_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.CardRuleKeyLayout.SOURCE_PORT_OFFSET;
import static dev.flowstone.model.abi.CardRuleKeyLayout.TCP_FLAGS_OFFSET;
import static dev.flowstone.model.abi.CardRuleKeyLayout.TYPE_OF_SERVICE_OFFSET;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Protocols;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A match as entries of the card's table, which together mean it. A kind of record need not be told
 * from others where the other conditions leave it no packet: a record without IP has zeros for
 * addresses, protocol, flags and type of service, an IPv4 one has ::ffff before its addresses.
 */
final class MatchEntries {
  private static final int PORT_BYTES = Short.BYTES;
  private static final long ADDRESS_BYTES = 2L * Long.BYTES;
  private static final long MAPPED_HIGH = 0;
  private static final Set<Integer> KINDS =
      IntStream.range(0, 1 << Integer.bitCount(PacketRecordLayout.KIND_MASK))
          .filter(PacketRecord::isPacket)
          .boxed()
          .collect(Collectors.toUnmodifiableSet());

  private final Match match;
  private Ternary key = Ternary.EVERY;

  private MatchEntries(Match match) {
    this.match = match;
  }

  /**
   * @param most more are not made out: then those that are given are more than that, and useless
   */
  static List<CardRule> of(Match match, int trafficClass, boolean drops, int most) {
    return new MatchEntries(match).entries(trafficClass, drops, most);
  }

  private List<CardRule> entries(int trafficClass, boolean drops, int most) {
    if (hasFlagsWithoutTcp()) {
      return List.of();
    }
    match.source().ifPresent(address -> address(SOURCE_ADDRESS_OFFSET, address));
    match.destination().ifPresent(address -> address(DESTINATION_ADDRESS_OFFSET, address));
    match.protocol().ifPresent(number -> oneByte(PROTOCOL_OFFSET, number));
    match
        .tcpFlags()
        .ifPresent(
            flags -> {
              oneByte(PROTOCOL_OFFSET, ByteMatch.exactly(Protocols.TCP));
              oneByte(TCP_FLAGS_OFFSET, flags);
            });
    match.typeOfService().ifPresent(service -> oneByte(TYPE_OF_SERVICE_OFFSET, service));
    match.ingressPort().ifPresent(port -> bit(PacketRecordLayout.INGRESS_PORT_SHIFT, port));
    match
        .laterFragment()
        .ifPresent(later -> bit(PacketRecordLayout.LATER_FRAGMENT_SHIFT, later ? 1 : 0));
    List<Ternary> all = withKinds();
    all = withPorts(all, SOURCE_PORT_OFFSET, match.sourcePort(), most);
    all = withPorts(all, DESTINATION_PORT_OFFSET, match.destinationPort(), most);
    return all.stream().map(each -> each.rule(trafficClass, drops)).toList();
  }

  private boolean hasFlagsWithoutTcp() {
    ByteMatch tcp = ByteMatch.exactly(Protocols.TCP);
    return match.tcpFlags().isPresent() && !match.protocol().orElse(ByteMatch.ANY).overlaps(tcp);
  }

  private void address(long offset, AddressMatch address) {
    key = key.withNetwork(offset, Long.BYTES, address.high(), address.maskHigh());
    key = key.withNetwork(offset + Long.BYTES, Long.BYTES, address.low(), address.maskLow());
  }

  private void oneByte(long offset, ByteMatch number) {
    key = key.with(offset, Byte.BYTES, number.value(), number.mask());
  }

  private void bit(int shift, int bit) {
    key = key.with(DESCRIPTOR_OFFSET, Integer.BYTES, bit << shift, 1 << shift);
  }

  private List<Ternary> withKinds() {
    Set<Integer> meant =
        KINDS.stream().filter(this::isMeant).collect(Collectors.toUnmodifiableSet());
    Set<Integer> unwanted =
        KINDS.stream()
            .filter(kind -> !meant.contains(kind) && !isLeftNoPacket(kind))
            .collect(Collectors.toUnmodifiableSet());
    int shift = PacketRecordLayout.KIND_SHIFT;
    if (meant.isEmpty()) {
      return List.of();
    }
    return KindPatterns.of(meant, unwanted).stream()
        .map(
            kind ->
                key.with(
                    DESCRIPTOR_OFFSET, Integer.BYTES, kind.value() << shift, kind.mask() << shift))
        .toList();
  }

  /** Whatever its port and whether it is a fragment: those are bits of their own. */
  private boolean isMeant(int kind) {
    boolean versionFits =
        match
            .source()
            .or(match::destination)
            .map(address -> address.ipv4() == PacketRecord.isIpv4(kind))
            .orElse(true);
    int descriptor =
        kind << PacketRecordLayout.KIND_SHIFT
            | match.ingressPort().orElse(0) << PacketRecordLayout.INGRESS_PORT_SHIFT
            | (match.laterFragment().orElse(false) ? 1 : 0)
                << PacketRecordLayout.LATER_FRAGMENT_SHIFT;
    return versionFits && match.allowsDescriptor(descriptor);
  }

  /** Whether the conditions so far are none that a record of this kind could meet. */
  private boolean isLeftNoPacket(int kind) {
    if (kind == RecordKind.OTHER) {
      return key.wantsOneIn(SOURCE_ADDRESS_OFFSET, (int) (2 * ADDRESS_BYTES))
          || key.wantsOneIn(PROTOCOL_OFFSET, Byte.BYTES)
          || key.wantsOneIn(TCP_FLAGS_OFFSET, Byte.BYTES)
          || key.wantsOneIn(TYPE_OF_SERVICE_OFFSET, Byte.BYTES);
    }
    return PacketRecord.isIpv4(kind)
        && (key.contradicts(SOURCE_ADDRESS_OFFSET, MAPPED_HIGH)
            || key.contradicts(DESTINATION_ADDRESS_OFFSET, MAPPED_HIGH));
  }

  private static List<Ternary> withPorts(
      List<Ternary> keys, long offset, Optional<PortMatch> asked, int most) {
    if (asked.isEmpty() || keys.size() > most) {
      return keys;
    }
    List<Ternary> all = new ArrayList<>();
    for (PortPatterns.Pattern port : PortPatterns.of(asked.get())) {
      for (Ternary each : keys) {
        all.add(each.with(offset, PORT_BYTES, port.value(), port.mask()));
      }
    }
    return all;
  }
}
