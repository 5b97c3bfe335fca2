// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The definition of what the histograms of one rule are, worked out from all of its packets at once
 * with the HdrHistogram library; each flow's packets in the order in which they came.
 */
final class Offline {
  private static final long CLOCK_STEP_NS = 1_000_000_000;
  private static final long MOST_FRAME_BYTES = 524_287;

  /** What an interval of one subject amounts to. */
  static final class Expected {
    final org.HdrHistogram.Histogram values;
    long count;
    long least = Long.MAX_VALUE;
    long greatest;
    long sum;
    long underflow;
    long overflow;
    long packets;
    long first;
    long earlier;
    long clockSteps;

    private Expected(Histogram rule, Measure measure) {
      values =
          measure == Measure.INTER_ARRIVAL
              ? new org.HdrHistogram.Histogram(rule.lowestNs(), rule.highestNs(), rule.digits())
              : new org.HdrHistogram.Histogram(1, MOST_FRAME_BYTES, rule.digits());
    }

    private void add(Histogram rule, Measure measure, long value) {
      count++;
      sum += value;
      least = Math.min(least, value);
      greatest = Math.max(greatest, value);
      if (measure == Measure.INTER_ARRIVAL && value > rule.highestNs()) {
        overflow++;
      } else {
        underflow += measure == Measure.INTER_ARRIVAL && value < rule.lowestNs() ? 1 : 0;
        values.recordValue(value);
      }
    }
  }

  private static final class Flow {
    long latestNs;
    long reachedNs;
  }

  private final Histogram rule;
  private final Map<FlowTuple, Flow> flows = new HashMap<>();
  private final Map<String, Expected> expected = new TreeMap<>();

  private Offline(Histogram rule) {
    this.rule = rule;
  }

  /** By measure, subject and begin of the interval, as {@link #key} puts it. */
  static Map<String, Expected> of(Histogram rule, List<SentPacket> packets) {
    Offline offline = new Offline(rule);
    packets.forEach(offline::add);
    if (rule.per() == Per.FLOW) {
      offline
          .expected
          .entrySet()
          .removeIf(
              each ->
                  each.getKey().startsWith(Measure.INTER_ARRIVAL.name())
                      && each.getValue().packets == each.getValue().first);
    }
    return offline.expected;
  }

  static String key(Measure measure, String subject, long beginNs) {
    return measure + " " + subject + " " + beginNs;
  }

  private void add(SentPacket packet) {
    boolean isNew = !flows.containsKey(packet.flow());
    Flow flow = flows.computeIfAbsent(packet.flow(), _ -> new Flow());
    long timeNs = packet.timeNs();
    flow.reachedNs = isNew ? timeNs : Math.max(flow.reachedNs, timeNs);
    long gapNs = timeNs - flow.latestNs;
    long rememberedNs = rule.highestNs() + rule.interval().toNanos();
    for (Measure measure : rule.of()) {
      Expected interval = interval(measure, packet.flow(), flow.reachedNs);
      interval.packets++;
      if (isNew || gapNs > rememberedNs) {
        interval.first++;
      } else if (gapNs < -CLOCK_STEP_NS) {
        interval.clockSteps++;
      } else if (gapNs < 0) {
        interval.earlier++;
      } else if (measure == Measure.INTER_ARRIVAL) {
        interval.add(rule, measure, gapNs);
      }
      if (measure == Measure.PACKET_SIZE) {
        interval.add(rule, measure, packet.frameLength());
      }
    }
    if (isNew || gapNs > 0 || gapNs < -CLOCK_STEP_NS) {
      flow.latestNs = timeNs;
    }
  }

  private Expected interval(Measure measure, FlowTuple flow, long timeNs) {
    long intervalNs = rule.interval().toNanos();
    String key = key(measure, subject(flow), Math.floorDiv(timeNs, intervalNs) * intervalNs);
    return expected.computeIfAbsent(key, _ -> new Expected(rule, measure));
  }

  /** Of flows as tests send them, IPv4 with prefixes of 24 bits. */
  private String subject(FlowTuple flow) {
    return switch (rule.per()) {
      case FLOW -> flow.toString();
      case RULE -> "";
      case SOURCE_PREFIX -> prefix(flow.sourceAddress());
      case DESTINATION_PREFIX -> prefix(flow.destinationAddress());
    };
  }

  private static String prefix(String address) {
    return address.substring(0, address.lastIndexOf('.')) + ".0/24";
  }

  static String subject(HistogramSubject subject) {
    return subject.flow() == null ? subject.prefix() : subject.flow().toString();
  }
}
