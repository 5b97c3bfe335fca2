// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.IpVersion;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Protocols;
import dev.flowstone.rules.TcpFlags;
import dev.flowstone.rules.yaml.YamlNode.Sequence;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads the section {@code match}. */
final class MatchReader {
  private MatchReader() {}

  static Optional<Match> read(Section match) {
    Optional<AddressMatch> source = match.parsed("source", AddressMatch::parse);
    Optional<AddressMatch> destination = match.parsed("destination", AddressMatch::parse);
    Optional<PortMatch> sourcePort = ports(match, "source_port");
    Optional<PortMatch> destinationPort = ports(match, "destination_port");
    Optional<ByteMatch> protocol = match.parsedNumberOrText("protocol", Protocols::parse);
    Optional<ByteMatch> tcpFlags = match.parsedNumberOrText("tcp_flags", TcpFlags::parse);
    Optional<ByteMatch> typeOfService =
        match.parsedNumberOrText("type_of_service", ByteMatch::parse);
    Optional<Integer> ingressPort = match.integer("ingress_port", 0, Match.MOST_INGRESS_PORT);
    Optional<Boolean> laterFragment = match.truth("later_fragment");
    Optional<Boolean> encapsulated = match.truth("encapsulated");
    Optional<IpVersion> ip = match.oneOf("ip", IpVersion.values());
    match.end();
    return match.made(
        () ->
            new Match(
                source,
                destination,
                sourcePort,
                destinationPort,
                protocol,
                tcpFlags,
                typeOfService,
                ingressPort,
                laterFragment,
                encapsulated,
                ip));
  }

  /** A port, a range, value/mask, or a list of ports and ranges. */
  private static Optional<PortMatch> ports(Section match, String key) {
    Optional<YamlNode> node = match.node(key);
    if (node.isPresent() && node.get() instanceof Sequence sequence) {
      List<PortMatch.Range> ranges =
          sequence.items().stream().flatMap(item -> range(match, key, item)).toList();
      return ranges.size() == sequence.items().size()
          ? match.made(() -> new PortMatch.Ranges(ranges))
          : Optional.empty();
    }
    return node.flatMap(one -> match.parsedNumberOrText(key, one, PortMatch::parse));
  }

  private static Stream<PortMatch.Range> range(Section match, String key, YamlNode item) {
    return match.parsedNumberOrText(key, item, PortMatch::parseRange).stream();
  }
}
