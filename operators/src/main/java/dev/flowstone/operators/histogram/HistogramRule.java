// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Histogram.Measure;
import dev.flowstone.rules.function.Histogram.Per;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** A rule's histograms: what is counted, in which ranges, and how it lies in memory. Immutable. */
final class HistogramRule {
  /** A packet this much earlier than the one before was not overtaken: its clock was set. */
  static final long CLOCK_STEP_NS = 1_000_000_000;

  private static final int SIZE_OF_LEAST_FRAME = 1;

  final long id;
  final RuleTag tag;
  final Histogram options;
  final long intervalNs;

  /** A flow that is silent for longer begins anew, whether it is in the table still or not. */
  final long rememberedNs;

  /** Of inter-arrival times; null: they are not measured. */
  final HdrLayout gaps;

  /** Of packet sizes; null: they are not measured. */
  final HdrLayout sizes;

  /** Where the histogram of packet sizes is, from where the interval begins. */
  final int sizesOffset;

  final int intervalBytes;

  private HistogramRule(long id, RuleTag tag, Histogram options) {
    // No rule has the number that stands for none.
    this.id = id == 0 ? 1 : id;
    this.tag = tag;
    this.options = options;
    intervalNs = options.interval().toNanos();
    rememberedNs = options.highestNs() + intervalNs;
    gaps =
        options.of().contains(Measure.INTER_ARRIVAL)
            ? new HdrLayout(options.lowestNs(), options.highestNs(), options.digits())
            : null;
    sizes =
        options.of().contains(Measure.PACKET_SIZE)
            ? new HdrLayout(
                SIZE_OF_LEAST_FRAME, PacketRecordLayout.FRAME_LENGTH_MASK, options.digits())
            : null;
    sizesOffset = IntervalMemory.HISTOGRAMS + (gaps == null ? 0 : HistogramMemory.sizeBytes(gaps));
    intervalBytes = sizesOffset + (sizes == null ? 0 : HistogramMemory.sizeBytes(sizes));
  }

  /**
   * The histograms of a rule with that function.
   *
   * @throws IllegalArgumentException if they are larger than can be
   */
  static HistogramRule of(RulesInForce rules, int rule) {
    RuleTag tag = rules.tag(rule);
    try {
      HistogramRule made =
          new HistogramRule(idOf(rules, rule), tag, (Histogram) rules.function(rule));
      made.requireRoom();
      return made;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("rule " + tag.name() + ": " + e.getMessage(), e);
    }
  }

  /** No rule has the number that stands for none. */
  static long idOf(RulesInForce rules, int rule) {
    return rules.id(rule) == 0 ? 1 : rules.id(rule);
  }

  private void requireRoom() {
    if (flowBytes() > HistogramRoom.MOST_FLOW_BYTES) {
      throw new IllegalArgumentException(
          "a histogram per flow of %s takes %,d bytes of each flow, %,d at most: fewer digits, a smaller range, one measure, or per: rule"
              .formatted(gaps == null ? sizes : gaps, flowBytes(), HistogramRoom.MOST_FLOW_BYTES));
    }
  }

  boolean isPerFlow() {
    return options.per() == Per.FLOW;
  }

  /** Bytes that a flow takes behind its key. */
  int flowBytes() {
    return isPerFlow()
        ? FlowMemory.WITH_INTERVAL_BYTES + intervalBytes
        : FlowMemory.WITHOUT_INTERVAL_BYTES;
  }

  /** Beginning of the interval of a time. */
  long beginOf(long timeNs) {
    return timeNs - Math.floorMod(timeNs, intervalNs);
  }

  /** From when on a flow is forgotten that was not seen since. */
  long forgetsNs(long timeNs) {
    return Math.min(timeNs, Long.MAX_VALUE - rememberedNs - 1) + rememberedNs + 1;
  }

  /** Tells what was counted of an interval, if there is something to tell, and counts anew. */
  void tell(
      MemorySegment memory,
      long interval,
      FlowTuple flow,
      String prefix,
      long endNs,
      CountsCode code,
      Consumer<HistogramPart> parts) {
    PacketCounts packets = IntervalMemory.counts(memory, interval);
    boolean isWhole = flow != null && !IntervalMemory.isInParts(memory, interval);
    if (gaps != null) {
      long at = interval + IntervalMemory.HISTOGRAMS;
      // As HistogramPart.hasValues, before one is made.
      if (!isWhole || packets.hasMoreThanFirst()) {
        HistogramSubject subject = subject(Measure.INTER_ARRIVAL, gaps, flow, prefix);
        parts.accept(part(isWhole, subject, memory, at, endNs, packets, code, gaps));
      }
      HistogramMemory.clear(memory, at, gaps);
    }
    if (sizes != null) {
      long at = interval + sizesOffset;
      HistogramSubject subject = subject(Measure.PACKET_SIZE, sizes, flow, prefix);
      parts.accept(part(isWhole, subject, memory, at, endNs, packets, code, sizes));
      HistogramMemory.clear(memory, at, sizes);
    }
    IntervalMemory.begin(memory, interval);
  }

  private HistogramSubject subject(
      Measure measure, HdrLayout layout, FlowTuple flow, String prefix) {
    return new HistogramSubject(
        id, measure, options.per(), flow, prefix, layout.lowest, layout.highest, layout.digits);
  }

  private HistogramPart part(
      boolean isWhole,
      HistogramSubject subject,
      MemorySegment memory,
      long at,
      long endNs,
      PacketCounts packets,
      CountsCode code,
      HdrLayout layout) {
    return new HistogramPart(
        isWhole,
        tag,
        subject,
        endNs - intervalNs,
        endNs,
        packets,
        HistogramMemory.sums(memory, at),
        HistogramMemory.counts(memory, at, layout, code));
  }
}
