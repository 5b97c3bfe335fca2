// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/**
 * Which packets: those for which every condition holds. A condition that is empty asks nothing.
 *
 * <p>Addresses, ports, protocol and type of service are asked of IP packets alone: without IP a
 * record has other things in their place. TCP flags are asked of TCP packets alone. Fields are as
 * the record has them, so ports are 0 in later fragments and in protocols without ports.
 *
 * @param laterFragment whether it is a fragment with an offset, which has no ports
 * @param encapsulated whether IP stands below MPLS, PPPoE or more than one VLAN tag
 */
public record Match(
    Optional<AddressMatch> source,
    Optional<AddressMatch> destination,
    Optional<PortMatch> sourcePort,
    Optional<PortMatch> destinationPort,
    Optional<ByteMatch> protocol,
    Optional<ByteMatch> tcpFlags,
    Optional<ByteMatch> typeOfService,
    Optional<Integer> ingressPort,
    Optional<Boolean> laterFragment,
    Optional<Boolean> encapsulated,
    Optional<IpVersion> ip) {

  /** What the card can tell: a port of its own is one bit of a record. */
  public static final int MOST_INGRESS_PORT = 1;

  /** Every packet. */
  public static final Match EVERY =
      new Match(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  public Match {
    ingressPort.ifPresent(
        port -> {
          if (port < 0 || port > MOST_INGRESS_PORT) {
            throw new IllegalArgumentException("ingress port must be 0 or 1: " + port);
          }
        });
    if (source.isPresent()
        && destination.isPresent()
        && source.get().ipv4() != destination.get().ipv4()) {
      throw new IllegalArgumentException(
          "no packet has a source of one IP version and a destination of the other: "
              + source.get()
              + " to "
              + destination.get());
    }
  }

  /**
   * Whether the packet of this record is meant. This is the definition; whoever asks for many
   * packets compiles the rules.
   */
  public boolean matches(MemorySegment records, long offsetBytes) {
    int descriptor = PacketRecord.descriptor(records, offsetBytes);
    int kind = PacketRecord.kind(descriptor);
    return allowsPortOf(descriptor)
        && allows(kind, PacketRecord.isLaterFragment(descriptor))
        && (!asksIp() || (PacketRecord.isIp(kind) && matchesIp(records, offsetBytes, kind)));
  }

  private boolean matchesIp(MemorySegment records, long offsetBytes, int kind) {
    boolean ipv4 = PacketRecord.isIpv4(kind);
    int number = PacketRecord.protocol(records, offsetBytes);
    return matches(
            source,
            ipv4,
            PacketRecord.sourceAddressHigh(records, offsetBytes),
            PacketRecord.sourceAddressLow(records, offsetBytes))
        && matches(
            destination,
            ipv4,
            PacketRecord.destinationAddressHigh(records, offsetBytes),
            PacketRecord.destinationAddressLow(records, offsetBytes))
        && matches(sourcePort, PacketRecord.sourcePort(records, offsetBytes))
        && matches(destinationPort, PacketRecord.destinationPort(records, offsetBytes))
        && matchesByte(protocol, number)
        && (tcpFlags.isEmpty() || number == Protocols.TCP)
        && matchesByte(tcpFlags, PacketRecord.tcpFlags(records, offsetBytes))
        && matchesByte(typeOfService, PacketRecord.typeOfService(records, offsetBytes));
  }

  private static boolean matches(Optional<AddressMatch> asked, boolean ipv4, long high, long low) {
    return asked.isEmpty() || (asked.get().ipv4() == ipv4 && asked.get().matches(high, low));
  }

  private static boolean matches(Optional<PortMatch> asked, int port) {
    return asked.isEmpty() || asked.get().matches(port);
  }

  private static boolean matchesByte(Optional<ByteMatch> asked, int number) {
    return asked.isEmpty() || asked.get().matches(number);
  }

  private boolean allowsPortOf(int descriptor) {
    return ingressPort.isEmpty() || ingressPort.get() == PacketRecord.ingressPort(descriptor);
  }

  /** The other conditions on what the descriptor says. */
  boolean allows(int kind, boolean isLaterFragment) {
    return (laterFragment.isEmpty() || laterFragment.get() == isLaterFragment)
        && (encapsulated.isEmpty() || encapsulated.get() == isEncapsulated(kind))
        && (ip.isEmpty() || ip.get() == versionOf(kind));
  }

  /** Whether this is all that the descriptor must say; what only IP packets have counts, too. */
  public boolean allowsDescriptor(int descriptor) {
    int kind = PacketRecord.kind(descriptor);
    return allowsPortOf(descriptor)
        && allows(kind, PacketRecord.isLaterFragment(descriptor))
        && (!asksIp() || PacketRecord.isIp(kind));
  }

  /** Whether something is asked that only an IP packet has. */
  boolean asksIp() {
    return source.isPresent()
        || destination.isPresent()
        || sourcePort.isPresent()
        || destinationPort.isPresent()
        || protocol.isPresent()
        || tcpFlags.isPresent()
        || typeOfService.isPresent();
  }

  /** Whether its conditions contradict one another, so that it means no packet. */
  public boolean isImpossible() {
    return !new PossiblePackets(this).hasAny();
  }

  /** Whether it could mean an IP packet of such a protocol and, if that is TCP, of such flags. */
  public boolean canMean(ByteMatch protocols, ByteMatch flags) {
    return new PossiblePackets(this).hasAny(protocols, flags);
  }

  /** Whether it is seen that no packet of the other is not among these. */
  public boolean covers(Match other) {
    return covers(source, other.source, AddressMatch::covers)
        && covers(destination, other.destination, AddressMatch::covers)
        && covers(sourcePort, other.sourcePort, PortMatch::covers)
        && covers(destinationPort, other.destinationPort, PortMatch::covers)
        && covers(protocol, other.protocol.or(other::protocolOfFlags), ByteMatch::covers)
        && covers(tcpFlags, other.tcpFlags, ByteMatch::covers)
        && covers(typeOfService, other.typeOfService, ByteMatch::covers)
        && covers(ingressPort, other.ingressPort, Integer::equals)
        && covers(laterFragment, other.laterFragment, Boolean::equals)
        && covers(encapsulated, other.encapsulated, Boolean::equals)
        && covers(ip, other.ip.or(other::versionOfAddresses), IpVersion::equals);
  }

  private Optional<ByteMatch> protocolOfFlags() {
    return tcpFlags.map(_ -> ByteMatch.exactly(Protocols.TCP));
  }

  private Optional<IpVersion> versionOfAddresses() {
    return source.or(() -> destination).map(any -> any.ipv4() ? IpVersion.IPV4 : IpVersion.IPV6);
  }

  private static <T> boolean covers(
      Optional<T> mine, Optional<T> theirs, BiPredicate<T, T> covering) {
    Predicate<T> covered = condition -> covering.test(mine.get(), condition);
    return mine.isEmpty() || theirs.filter(covered).isPresent();
  }

  private static boolean isEncapsulated(int kind) {
    return kind == RecordKind.IPV4_ENCAPSULATED || kind == RecordKind.IPV6_ENCAPSULATED;
  }

  private static IpVersion versionOf(int kind) {
    if (!PacketRecord.isIp(kind)) {
      return IpVersion.NONE;
    }
    return PacketRecord.isIpv4(kind) ? IpVersion.IPV4 : IpVersion.IPV6;
  }

  /** As {@code rules check} shows it: {@code source 192.0.2.0/24, protocol tcp}. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ");
    text.setEmptyValue("every packet");
    source.ifPresent(each -> text.add("source " + each));
    destination.ifPresent(each -> text.add("destination " + each));
    sourcePort.ifPresent(each -> text.add("source port " + each));
    destinationPort.ifPresent(each -> text.add("destination port " + each));
    protocol.ifPresent(each -> text.add(Protocols.name(each).orElseGet(() -> "protocol " + each)));
    tcpFlags.ifPresent(each -> text.add(TcpFlags.text(each)));
    typeOfService.ifPresent(each -> text.add("type of service " + each));
    ingressPort.ifPresent(each -> text.add("ingress port " + each));
    laterFragment.ifPresent(each -> text.add(each ? "later fragment" : "no later fragment"));
    encapsulated.ifPresent(each -> text.add(each ? "encapsulated" : "not encapsulated"));
    ip.ifPresent(each -> text.add(each == IpVersion.NONE ? "no IP" : "IPv" + each));
    return text.toString();
  }
}
