// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.commandline.DurationText;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Protocols;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.TcpFlags;
import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.PrefixLengths;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.function.UserFunction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/** Writes rules as the reader reads them; what is usual is left out. */
final class RulesWriter {
  private RulesWriter() {}

  static String write(RuleSet rules) {
    Map<String, Object> file = new LinkedHashMap<>();
    file.put(
        "rules", rules.rules().stream().limit(rules.size() - 1L).map(RulesWriter::rule).toList());
    Map<String, Object> others = new LinkedHashMap<>();
    putEffect(others, rules.defaultRule());
    file.put("default", others);
    DumpSettings settings =
        DumpSettings.builder()
            .setDefaultFlowStyle(FlowStyle.BLOCK)
            .setIndicatorIndent(2)
            .setIndentWithIndicator(true)
            .setSchema(new CoreSchema())
            .build();
    return new Dump(settings).dumpToString(file);
  }

  private static Map<String, Object> rule(Rule rule) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", rule.name());
    map.put("priority", rule.priority());
    if (!rule.match().equals(Match.EVERY)) {
      map.put("match", match(rule.match()));
    }
    putEffect(map, rule);
    return map;
  }

  private static void putEffect(Map<String, Object> map, Rule rule) {
    map.put("function", function(rule.function()));
    rule.topic().ifPresent(topic -> map.put("topic", topic));
    rule.flowId().ifPresent(id -> map.put("flow_id", id));
  }

  private static Map<String, Object> match(Match match) {
    Map<String, Object> map = new LinkedHashMap<>();
    match.source().ifPresent(each -> map.put("source", each.toString()));
    match.destination().ifPresent(each -> map.put("destination", each.toString()));
    match.sourcePort().ifPresent(each -> map.put("source_port", ports(each)));
    match.destinationPort().ifPresent(each -> map.put("destination_port", ports(each)));
    match.protocol().ifPresent(each -> map.put("protocol", Protocols.text(each)));
    match.tcpFlags().ifPresent(each -> map.put("tcp_flags", TcpFlags.text(each)));
    match.typeOfService().ifPresent(each -> map.put("type_of_service", each.toString()));
    match.ingressPort().ifPresent(each -> map.put("ingress_port", each));
    match.laterFragment().ifPresent(each -> map.put("later_fragment", each));
    match.encapsulated().ifPresent(each -> map.put("encapsulated", each));
    match
        .ip()
        .ifPresent(
            each ->
                map.put(
                    "ip",
                    switch (each) {
                      case IPV4 -> 4;
                      case IPV6 -> 6;
                      case NONE -> "none";
                    }));
    return map;
  }

  private static Object ports(PortMatch ports) {
    return switch (ports) {
      case PortMatch.Ranges(List<PortMatch.Range> ranges) when ranges.size() > 1 ->
          ranges.stream().map(RulesWriter::range).toList();
      case PortMatch.Ranges(List<PortMatch.Range> ranges) -> range(ranges.getFirst());
      case PortMatch.Masked masked -> masked.toString();
    };
  }

  private static Object range(PortMatch.Range range) {
    return range.first() == range.last() ? (Object) range.first() : range.toString();
  }

  private static Object function(ServiceFunction function) {
    Object options =
        switch (function) {
          case Drop _ -> Map.of();
          case Pass pass -> pass(pass);
          case Aggregate aggregate -> aggregate(aggregate);
          case Sample sample -> sample(sample);
          case Histogram histogram -> histogram(histogram);
          case Anomaly(List<Detector> detectors) ->
              detectors.stream().map(RulesWriter::detector).toList();
          case UserFunction user -> user(user);
        };
    return options.equals(Map.of()) ? function.name() : Map.of(function.name(), options);
  }

  private static Map<String, Object> pass(Pass pass) {
    Map<String, Object> map = new LinkedHashMap<>();
    pass.anonymiseKey().ifPresent(key -> map.put("anonymise", key));
    return map;
  }

  private static Map<String, Object> aggregate(Aggregate aggregate) {
    Map<String, Object> map = new LinkedHashMap<>();
    putLength(map, "active_timeout", aggregate.activeTimeout(), Aggregate.USUAL.activeTimeout());
    putLength(map, "idle_timeout", aggregate.idleTimeout(), Aggregate.USUAL.idleTimeout());
    return map;
  }

  private static Map<String, Object> sample(Sample sample) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("one_in", sample.oneIn());
    put(map, "by", Section.nameOf(sample.by()), Section.nameOf(Sample.By.PACKETS));
    put(map, "seed", sample.seed(), 0L);
    put(map, "keep_syn_fin_rst", sample.keepSynFinRst(), false);
    sample.anonymiseKey().ifPresent(key -> map.put("anonymise", key));
    return map;
  }

  private static Map<String, Object> histogram(Histogram histogram) {
    Map<String, Object> map = new LinkedHashMap<>();
    List<String> of = histogram.of().stream().map(Section::nameOf).sorted().toList();
    put(map, "of", of, List.of(Section.nameOf(Histogram.Measure.INTER_ARRIVAL)));
    put(map, "per", Section.nameOf(histogram.per()), Section.nameOf(Histogram.Per.RULE));
    PrefixLengths bits = histogram.prefixes();
    put(map, "ipv4_bits", bits.ipv4Bits(), PrefixLengths.USUAL.ipv4Bits());
    put(map, "ipv6_bits", bits.ipv6Bits(), PrefixLengths.USUAL.ipv6Bits());
    putLength(map, "lowest", histogram.lowestNs(), Histogram.USUAL_LOWEST_NS);
    putLength(map, "highest", histogram.highestNs(), Histogram.USUAL_HIGHEST_NS);
    put(map, "digits", histogram.digits(), histogram.per().usualDigits());
    putLength(map, "interval", histogram.interval(), Histogram.USUAL_INTERVAL);
    return map;
  }

  private static Map<String, Object> detector(Detector detector) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("detect", Section.nameOf(detector.kind()));
    map.put("threshold", detector.threshold());
    put(map, "thresholds", thresholds(detector), List.of());
    putLength(map, "window", detector.window(), Detector.USUAL_WINDOW);
    putLength(map, "slide", detector.slide(), detector.window());
    detector
        .baseline()
        .ifPresent(
            baseline -> {
              Map<String, Object> learned = new LinkedHashMap<>();
              learned.put("times", baseline.times());
              learned.put("half_life", DurationText.of(baseline.halfLife()));
              map.put("baseline", learned);
            });
    detector
        .leastCompletedPercent()
        .ifPresent(percent -> map.put("least_completed_percent", percent));
    return map;
  }

  private static List<Object> thresholds(Detector detector) {
    List<Object> all = new ArrayList<>();
    for (Detector.PrefixThreshold each : detector.thresholds()) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("prefix", each.prefix().toString());
      map.put("threshold", each.threshold());
      all.add(map);
    }
    return all;
  }

  private static Map<String, Object> user(UserFunction user) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("class", user.className());
    put(map, "options", user.options(), Map.of());
    return map;
  }

  private static void putLength(Map<String, Object> map, String key, long ns, long usualNs) {
    putLength(map, key, Duration.ofNanos(ns), Duration.ofNanos(usualNs));
  }

  private static void putLength(
      Map<String, Object> map, String key, Duration length, Duration usual) {
    put(map, key, DurationText.of(length), DurationText.of(usual));
  }

  private static void put(Map<String, Object> map, String key, Object value, Object usual) {
    if (!value.equals(usual)) {
      map.put(key, value);
    }
  }
}
