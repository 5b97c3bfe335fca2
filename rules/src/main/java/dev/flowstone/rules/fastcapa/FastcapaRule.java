// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.fastcapa;

import dev.flowstone.rules.AddressMatch;
import dev.flowstone.rules.ByteMatch;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.PortMatch;
import dev.flowstone.rules.Problem;
import dev.flowstone.rules.Problems;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.PrefixLengths;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One rule of fastcapa-ng, with its masks as its examples use them: of an address the length of a
 * prefix, of the protocol a mask of bits, of a port the upper end of a range.
 */
final class FastcapaRule {
  /** Of what is matched: each with the key that it goes with. */
  private static final Map<FastcapaKey, FastcapaKey> MASKS =
      new EnumMap<>(
          Map.of(
              FastcapaKey.SOURCE_MASK, FastcapaKey.SOURCE,
              FastcapaKey.DESTINATION_MASK, FastcapaKey.DESTINATION,
              FastcapaKey.SOURCE_PORT_MASK, FastcapaKey.SOURCE_PORT,
              FastcapaKey.DESTINATION_PORT_MASK, FastcapaKey.DESTINATION_PORT,
              FastcapaKey.PROTOCOL_MASK, FastcapaKey.PROTOCOL));

  private static final String DROP_TOPIC = "topic_drop";

  private final Group group;
  private final String name;
  private final Problems problems;
  private final List<Problem> leftOut;
  private final OptionalDouble tscHz;
  private final Map<FastcapaKey, Setting> settings = new EnumMap<>(FastcapaKey.class);

  FastcapaRule(
      Group group, String name, Problems problems, List<Problem> leftOut, OptionalDouble tscHz) {
    this.group = group;
    this.name = name;
    this.problems = problems;
    this.leftOut = leftOut;
    this.tscHz = tscHz;
    group.all().forEach(this::take);
    settings.forEach(
        (key, setting) -> key.whyLeftOut().ifPresent(why -> leaveOutUnlessUsed(key, setting, why)));
  }

  private void take(Setting setting) {
    Optional<FastcapaKey> key = FastcapaKey.of(setting.key());
    if (key.isEmpty()) {
      // Left out, a slip of the finger would widen the rule.
      FastcapaKey.likely(setting.key())
          .ifPresentOrElse(
              likely ->
                  problems.add(setting.place(), setting.key() + ": did you mean " + likely + "?"),
              () -> leaveOut(setting, "not known here"));
    } else if (settings.putIfAbsent(key.get(), setting) != null) {
      problems.add(setting.place(), setting.key() + " stands twice in one rule");
    }
  }

  private void leaveOutUnlessUsed(FastcapaKey key, Setting setting, String why) {
    if (key != FastcapaKey.RING_ID || !isDropped()) {
      leaveOut(setting, why);
    }
  }

  private void leaveOut(Setting setting, String why) {
    leftOut.add(
        new Problem(
            setting.place(),
            Optional.of(name),
            setting.key() + " " + setting.value() + ": " + why));
  }

  /** Empty if something is wrong with it, which the problems say. */
  Optional<Rule> rule() {
    int before = problems.count();
    requireMatch();
    Optional<AddressMatch> source = address(FastcapaKey.SOURCE, FastcapaKey.SOURCE_MASK);
    Optional<AddressMatch> destination =
        address(FastcapaKey.DESTINATION, FastcapaKey.DESTINATION_MASK);
    Optional<PortMatch> sourcePort = ports(FastcapaKey.SOURCE_PORT, FastcapaKey.SOURCE_PORT_MASK);
    Optional<PortMatch> destinationPort =
        ports(FastcapaKey.DESTINATION_PORT, FastcapaKey.DESTINATION_PORT_MASK);
    Optional<ByteMatch> protocol = protocol();
    long priority = number(FastcapaKey.PRIORITY, Integer.MAX_VALUE).orElse(0);
    Optional<Long> flowId =
        number(FastcapaKey.FLOW_ID, Rule.MOST_FLOW_ID).stream().boxed().findAny();
    Optional<? extends ServiceFunction> function =
        isDropped() ? Optional.of(new Drop()) : function();
    Optional<String> topic =
        isDropped() ? Optional.empty() : read(FastcapaKey.TOPIC, Rule::requireTopic);
    if (problems.count() > before || function.isEmpty()) {
      return Optional.empty();
    }
    return made(
        () ->
            new Rule(
                name,
                (int) priority,
                new Match(
                    source,
                    destination,
                    sourcePort,
                    destinationPort,
                    protocol,
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty()),
                function.get(),
                topic,
                flowId));
  }

  private boolean isDropped() {
    return text(FastcapaKey.RING_ID).filter(FastcapaRule::isZero).isPresent()
        && text(FastcapaKey.TOPIC).filter(DROP_TOPIC::equals).isPresent();
  }

  private static boolean isZero(String text) {
    try {
      return decoded(text) == 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Without a key it would mean every packet, and may be a part of another rule. */
  private void requireMatch() {
    List<FastcapaKey> alone =
        MASKS.keySet().stream()
            .filter(mask -> settings.containsKey(mask) && !settings.containsKey(MASKS.get(mask)))
            .toList();
    alone.forEach(
        mask ->
            problems.add(settings.get(mask).place(), mask + " stands without " + MASKS.get(mask)));
    if (alone.isEmpty() && MASKS.values().stream().noneMatch(settings::containsKey)) {
      problems.add(
          group.place(),
          "no key says which packets, such as srcIP or protocol; for every packet write protocol = 0"
              + " and protocol_mask = 0");
    }
  }

  private Optional<AddressMatch> address(FastcapaKey key, FastcapaKey maskKey) {
    return read(key, AddressMatch::parse)
        .flatMap(
            address ->
                settings.containsKey(maskKey)
                    ? masked(key, address, maskKey)
                    : Optional.of(address))
        .filter(address -> address.lengthBits() > 0);
  }

  private Optional<AddressMatch> masked(
      FastcapaKey key, AddressMatch address, FastcapaKey maskKey) {
    int most = address.ipv4() ? 32 : 128;
    if (address.lengthBits() < most) {
      problems.add(settings.get(maskKey).place(), maskKey + ": " + key + " has a mask of its own");
      return Optional.empty();
    }
    return number(maskKey, most).stream()
        .mapToObj(
            bits -> AddressMatch.prefix(address.ipv4(), address.high(), address.low(), (int) bits))
        .findAny();
  }

  /** 0 to 65535 is any, whether a packet has ports or not. */
  private Optional<PortMatch> ports(FastcapaKey key, FastcapaKey lastKey) {
    OptionalLong first = number(key, PortMatch.MOST_PORT);
    if (first.isEmpty()) {
      return Optional.empty();
    }
    long last = number(lastKey, PortMatch.MOST_PORT).orElse(first.getAsLong());
    if (last < first.getAsLong()) {
      problems.add(
          settings.get(lastKey).place(),
          lastKey + " is the upper end of a range here, and less than the port: " + last);
      return Optional.empty();
    }
    return first.getAsLong() == 0 && last == PortMatch.MOST_PORT
        ? Optional.empty()
        : Optional.of(PortMatch.range((int) first.getAsLong(), (int) last));
  }

  private Optional<ByteMatch> protocol() {
    OptionalLong number = number(FastcapaKey.PROTOCOL, ByteMatch.MOST);
    int mask = (int) number(FastcapaKey.PROTOCOL_MASK, ByteMatch.MOST).orElse(ByteMatch.MOST);
    return number.isEmpty() || mask == 0
        ? Optional.empty()
        : Optional.of(new ByteMatch((int) number.getAsLong() & mask, mask));
  }

  private Optional<? extends ServiceFunction> function() {
    String function = text(FastcapaKey.SERVICE_FUNCTION).orElse("passthrough");
    if (!function.equals("sampling")) {
      ofNoUse(FastcapaKey.SAMPLING_RATE, "sampling");
    }
    if (!function.equals("histogram")) {
      ofNoUse(FastcapaKey.RESOLUTION, "histogram");
      ofNoUse(FastcapaKey.REPORT_INTERVAL, "histogram");
    }
    return switch (function) {
      case "passthrough" -> Optional.of(Pass.unchanged());
      case "sampling" -> sample();
      case "histogram" -> histogram();
      default -> {
        problems.add(
            settings.get(FastcapaKey.SERVICE_FUNCTION).place(),
            "service_function must be passthrough, sampling or histogram: " + function);
        yield Optional.empty();
      }
    };
  }

  private void ofNoUse(FastcapaKey key, String function) {
    Optional.ofNullable(settings.get(key))
        .ifPresent(setting -> leaveOut(setting, "is for " + function + " alone"));
  }

  private Optional<Sample> sample() {
    if (!settings.containsKey(FastcapaKey.SAMPLING_RATE)) {
      problems.add(group.place(), "sampling needs sampling_rate");
    }
    OptionalLong rate = number(FastcapaKey.SAMPLING_RATE, Sample.MOST_ONE_IN);
    return rate.isEmpty() ? Optional.empty() : made(() -> Sample.everyNth((int) rate.getAsLong()));
  }

  private Optional<Histogram> histogram() {
    long lowestNs =
        number(FastcapaKey.RESOLUTION, Histogram.USUAL_HIGHEST_NS)
            .orElse(Histogram.USUAL_LOWEST_NS);
    Histogram usual = Histogram.usual(Histogram.Per.RULE);
    return interval()
        .flatMap(
            interval ->
                made(
                    () ->
                        new Histogram(
                            Set.of(Histogram.Measure.INTER_ARRIVAL),
                            usual.per(),
                            PrefixLengths.USUAL,
                            lowestNs,
                            Histogram.USUAL_HIGHEST_NS,
                            usual.digits(),
                            interval)));
  }

  /** Empty where it cannot be known. */
  private Optional<Duration> interval() {
    OptionalLong ticks = number(FastcapaKey.REPORT_INTERVAL, Long.MAX_VALUE);
    if (ticks.isEmpty()) {
      return Optional.of(Histogram.USUAL_INTERVAL);
    }
    if (tscHz.isEmpty()) {
      problems.add(
          settings.get(FastcapaKey.REPORT_INTERVAL).place(),
          "report_interval_tsc counts a processor's ticks: say how many a second has with --tsc-hz,"
              + " such as 2.4G");
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofMillis(Math.round(ticks.getAsLong() * 1e3 / tscHz.getAsDouble())));
  }

  private OptionalLong number(FastcapaKey key, long most) {
    Optional<Long> number =
        read(
            key,
            text -> {
              long value = decoded(text);
              if (value < 0 || value > most) {
                throw new IllegalArgumentException("must be 0 to " + most + ": " + text);
              }
              return value;
            });
    return number.map(OptionalLong::of).orElse(OptionalLong.empty());
  }

  private static long decoded(String text) {
    try {
      return text.startsWith("0x") ? Long.decode(text) : Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a number: " + text, e);
    }
  }

  private Optional<String> text(FastcapaKey key) {
    return Optional.ofNullable(settings.get(key)).map(Setting::value);
  }

  private <T> Optional<T> read(FastcapaKey key, Function<String, T> parse) {
    Setting setting = settings.get(key);
    try {
      return Optional.ofNullable(setting).map(each -> parse.apply(each.value()));
    } catch (IllegalArgumentException e) {
      problems.add(setting.place(), key + ": " + e.getMessage());
      return Optional.empty();
    }
  }

  private <T> Optional<T> made(Supplier<T> make) {
    try {
      return Optional.of(make.get());
    } catch (IllegalArgumentException e) {
      problems.add(group.place(), e.getMessage());
      return Optional.empty();
    }
  }
}
