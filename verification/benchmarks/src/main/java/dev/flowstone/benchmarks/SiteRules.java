// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Protocols;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.TcpFlags;
import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.ServiceFunction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Rules as a site has them: its services by prefix, protocol and port, pairs of networks, answers
 * by source port, SYNs, and at the end a few that ask for ports alone. Addresses come from the
 * traffic, moved a little, so that look-ups go deep; what matches is mostly late or the default.
 */
final class SiteRules {
  private static final long SEED = 9;
  private static final int[] IPV4_BITS = {12, 16, 18, 20, 22, 23, 24, 24, 24, 26, 28, 30, 32, 32};
  private static final int[] IPV6_BITS = {29, 32, 40, 44, 48, 48, 56, 64, 64, 128};
  private static final int[] SERVICES = {
    20, 21, 22, 25, 53, 80, 110, 123, 143, 161, 179, 389, 443, 445, 465, 514, 587, 636, 853, 873,
    993, 995, 1194, 1433, 1521, 1883, 2049, 3128, 3306, 3389, 5060, 5201, 5432, 5671, 6379, 8000,
    8080, 8443, 9000, 9092, 9200, 11211, 25565, 27017
  };

  /** By turns; what no rule asks for passes. */
  private static final List<ServiceFunction> FUNCTIONS =
      List.of(Aggregate.USUAL, Histogram.usual(Histogram.Per.RULE));

  /** Of a hundred rules at the end: these many by port alone. */
  private static final int PORT_RULES_PER_HUNDRED = 5;

  private final RingRecords traffic;
  private final SplittableRandom random = new SplittableRandom(SEED);

  private SiteRules(RingRecords traffic) {
    this.traffic = traffic;
  }

  /** So many rules, the default among them. */
  static RuleSet of(RingRecords traffic, int count) {
    SiteRules site = new SiteRules(traffic);
    List<Rule> rules = new ArrayList<>();
    int byPort = Math.max(1, count * PORT_RULES_PER_HUNDRED / 100);
    for (int i = 0; i < count - 1; i++) {
      Match match = i < count - 1 - byPort ? site.ofNetworks(i) : site.ofPorts();
      rules.add(
          new Rule(
              "rule-" + i,
              0,
              match,
              FUNCTIONS.get(i % FUNCTIONS.size()),
              Optional.empty(),
              Optional.empty()));
    }
    return RuleSet.of(
        rules, RuleSet.defaultRule(Pass.unchanged(), Optional.empty(), Optional.empty()));
  }

  private Match ofNetworks(int number) {
    FlowTuple tuple = traffic.drawFlow(random);
    Optional<AddressMatch> source =
        Optional.of(near(tuple.ipv4(), tuple.sourceHigh(), tuple.sourceLow()));
    Optional<AddressMatch> destination =
        Optional.of(near(tuple.ipv4(), tuple.destinationHigh(), tuple.destinationLow()));
    Optional<PortMatch> port = Optional.of(somePort());
    Optional<PortMatch> none = Optional.empty();
    Optional<ByteMatch> tcp = Optional.of(Protocols.parse("tcp"));
    Optional<ByteMatch> udp = Optional.of(Protocols.parse("udp"));
    return switch (number % 16) {
      case 0, 1, 2, 3, 4 -> match(Optional.empty(), destination, none, port, tcp, Optional.empty());
      case 5, 6 -> match(Optional.empty(), destination, none, port, udp, Optional.empty());
      case 7, 8, 9 -> match(source, destination, none, none, Optional.empty(), Optional.empty());
      case 10 -> match(source, destination, none, port, tcp, Optional.empty());
      case 11, 12 -> match(source, Optional.empty(), port, none, tcp, Optional.empty());
      case 13 ->
          match(
              Optional.empty(),
              destination,
              none,
              none,
              Optional.empty(),
              Optional.of(TcpFlags.parse("syn and not ack")));
      case 14 -> match(source, Optional.empty(), none, none, udp, Optional.empty());
      default ->
          match(Optional.empty(), destination, none, none, Optional.empty(), Optional.empty());
    };
  }

  private Match ofPorts() {
    return match(
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(somePort()),
        Optional.of(Protocols.parse(random.nextBoolean() ? "tcp" : "udp")),
        Optional.empty());
  }

  private static Match match(
      Optional<AddressMatch> source,
      Optional<AddressMatch> destination,
      Optional<PortMatch> sourcePort,
      Optional<PortMatch> destinationPort,
      Optional<ByteMatch> protocol,
      Optional<ByteMatch> tcpFlags) {
    return new Match(
        source,
        destination,
        sourcePort,
        destinationPort,
        protocol,
        tcpFlags,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  private PortMatch somePort() {
    int first = service();
    return PortMatch.range(first, random.nextInt(8) == 0 ? first + random.nextInt(100) : first);
  }

  private int service() {
    return SERVICES[random.nextInt(SERVICES.length)];
  }

  /** A network that the traffic has, or one beside it. */
  private AddressMatch near(boolean ipv4, long high, long low) {
    int[] lengths = ipv4 ? IPV4_BITS : IPV6_BITS;
    int bits = lengths[random.nextInt(lengths.length)];
    long moved = random.nextBoolean() ? 1L << Math.max(0, (ipv4 ? 32 : 64) - bits) : 0;
    return ipv4
        ? AddressMatch.prefix(true, high, (low ^ moved) & 0xffff_ffff_ffffL, bits)
        : AddressMatch.prefix(false, high ^ moved, low, bits);
  }
}
