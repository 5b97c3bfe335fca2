// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

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
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Rules of every kind, from few values, so that they overlap and packets meet their edges. */
public final class RandomRules {
  private static final int MASKS = 3;

  private final SplittableRandom random;
  private final List<AddressMatch> masks = new ArrayList<>();

  public RandomRules(long seed) {
    random = new SplittableRandom(seed);
    while (masks.size() < MASKS) {
      boolean ipv4 = random.nextBoolean();
      long low = random.nextLong() | (ipv4 ? 0xffff_ffffL << Integer.SIZE : 0);
      masks.add(
          new AddressMatch(
              ipv4, 0, ipv4 ? 0xffffL << Integer.SIZE : 0, ipv4 ? -1 : random.nextLong(), low));
    }
  }

  public RuleSet set(int rules) {
    List<Rule> all = new ArrayList<>();
    for (int i = 0; i < rules; i++) {
      Match match = match();
      ServiceFunction function = function(match);
      all.add(
          new Rule(
              "rule-" + i,
              random.nextInt(4),
              match,
              function,
              topic(function),
              maybe(this::flowId)));
    }
    ServiceFunction function = function(Match.EVERY);
    return RuleSet.of(all, RuleSet.defaultRule(function, topic(function), maybe(this::flowId)));
  }

  public Match match() {
    boolean ipv4 = random.nextBoolean();
    return new Match(
        maybe(() -> address(ipv4)),
        maybe(() -> address(ipv4)),
        maybe(this::ports),
        maybe(this::ports),
        maybe(() -> masked(new int[] {6, 17, 1, 58, 0})),
        random.nextInt(5) == 0
            ? Optional.of(masked(new int[] {2, 16, 18, 0, 255}))
            : Optional.empty(),
        random.nextInt(5) == 0 ? Optional.of(masked(new int[] {0, 0xb8, 0xff})) : Optional.empty(),
        rarely(() -> random.nextInt(2)),
        rarely(random::nextBoolean),
        rarely(random::nextBoolean),
        rarely(() -> oneOf(IpVersion.values())));
  }

  /** Few networks, nested in one another, up to both ends of the address space. */
  public AddressMatch address(boolean ipv4) {
    long high = ipv4 ? 0 : end(0x2001_0db8_0000_0000L + random.nextInt(3));
    long low = end(0x0a00_0000L + (random.nextInt(4) << random.nextInt(24)));
    long value = ipv4 ? 0xffffL << Integer.SIZE | (low & 0xffff_ffffL) : low;
    AddressMatch mask = masks.get(random.nextInt(MASKS));
    if (mask.ipv4() == ipv4 && random.nextInt(4) == 0) {
      return new AddressMatch(
          ipv4, high & mask.maskHigh(), value & mask.maskLow(), mask.maskHigh(), mask.maskLow());
    }
    int most = ipv4 ? 32 : 128;
    int bits = random.nextInt(3) == 0 ? most : random.nextInt(most + 1);
    return AddressMatch.prefix(ipv4, high, value, bits);
  }

  private long end(long usual) {
    return switch (random.nextInt(6)) {
      case 0 -> 0;
      case 1 -> -1;
      default -> usual;
    };
  }

  public PortMatch ports() {
    return switch (random.nextInt(4)) {
      case 0 -> {
        int mask = random.nextInt(0x10000);
        yield new PortMatch.Masked(random.nextInt(0x10000) & mask, mask);
      }
      case 1 -> new PortMatch.Ranges(List.of(range(), range(), range()));
      default -> new PortMatch.Ranges(List.of(range()));
    };
  }

  private PortMatch.Range range() {
    int first = new int[] {0, 53, 80, 443, 1024, 65535}[random.nextInt(6)];
    return new PortMatch.Range(first, Math.min(65535, first + random.nextInt(3) * 100));
  }

  private ByteMatch masked(int[] values) {
    int mask = random.nextBoolean() ? 0xff : random.nextInt(0x100);
    return new ByteMatch(values[random.nextInt(values.length)] & mask, mask);
  }

  private ServiceFunction function(Match match) {
    return switch (random.nextInt(7)) {
      case 0 -> new Pass(key());
      case 1 -> new Drop();
      case 2 -> aggregate(length(), length());
      case 3 -> sample();
      case 4 -> histogram();
      case 5 -> anomaly(match);
      default -> new UserFunction("a.B$C", Map.of("key: 1", "5", "other", "a\nb # c", "", ""));
    };
  }

  private static Aggregate aggregate(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? new Aggregate(other, one) : new Aggregate(one, other);
  }

  private ServiceFunction anomaly(Match match) {
    List<Detector> detectors =
        Stream.of(Detector.Kind.values())
            .filter(kind -> random.nextBoolean() && kind.isFedBy(match))
            .map(kind -> detector(kind, match))
            .toList();
    return detectors.isEmpty() ? new Drop() : new Anomaly(detectors);
  }

  private Sample sample() {
    Sample.By by = oneOf(Sample.By.values());
    return new Sample(
        1 + random.nextInt(1000),
        by,
        by == Sample.By.RANDOM ? random.nextLong() : 0,
        random.nextBoolean(),
        key());
  }

  private Histogram histogram() {
    Histogram.Per per = oneOf(Histogram.Per.values());
    Set<Histogram.Measure> of =
        random.nextBoolean()
            ? EnumSet.allOf(Histogram.Measure.class)
            : EnumSet.of(oneOf(Histogram.Measure.values()));
    return new Histogram(
        of,
        per,
        per.isPrefix()
            ? new PrefixLengths(random.nextInt(33), random.nextInt(129))
            : PrefixLengths.USUAL,
        1 + random.nextInt(1000),
        2000 + random.nextInt(1_000_000_000),
        1 + random.nextInt(5),
        length());
  }

  private Detector detector(Detector.Kind kind, Match match) {
    Duration slide = length();
    return new Detector(
        kind,
        random.nextInt(1000),
        List.of(new Detector.PrefixThreshold(prefix(), random.nextLong(1L << 62))),
        slide.multipliedBy(1 + random.nextInt(3)),
        slide,
        maybe(() -> new Detector.Baseline(2 + random.nextInt(100), length())),
        kind == Detector.Kind.SYN_FLOOD && match.tcpFlags().isEmpty()
            ? maybe(() -> 1 + random.nextInt(100))
            : Optional.empty());
  }

  private AddressMatch prefix() {
    return AddressMatch.prefix(false, random.nextLong(), 0, random.nextInt(129));
  }

  private Duration length() {
    return Duration.ofNanos(1_000_000L + random.nextInt(2) * random.nextLong(1L << 40));
  }

  private Optional<String> key() {
    return maybe(() -> "key-" + random.nextInt(3));
  }

  private Optional<String> topic(ServiceFunction function) {
    boolean isOfPackets = function.output() == ServiceFunction.Output.PACKETS;
    return maybe(
        () ->
            oneOf(isOfPackets ? new String[] {"a", "true"} : new String[] {"1.5", "0x1f", "..."}));
  }

  private long flowId() {
    return random.nextLong(Rule.MOST_FLOW_ID + 1);
  }

  private <T> T oneOf(T[] all) {
    return all[random.nextInt(all.length)];
  }

  private <T> Optional<T> maybe(Supplier<T> value) {
    return random.nextInt(3) == 0 ? Optional.of(value.get()) : Optional.empty();
  }

  private <T> Optional<T> rarely(Supplier<T> value) {
    return random.nextInt(10) == 0 ? Optional.of(value.get()) : Optional.empty();
  }
}
