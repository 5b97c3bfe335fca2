// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly.pane;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Detector;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.StringValue;

/**
 * What holds for one subject of a detector; travels with its panes, so that whoever judges them
 * needs to know no rules.
 *
 * @param detector as results call it
 * @param panes that make a window
 * @param threshold the detector's, or that of the prefix
 * @param prefix which has a threshold of its own, or {@link #NO_PREFIX}
 * @param baselineTimes 0: there is no baseline
 * @param leastCompletedPercent 0: it is not asked for
 */
public record Terms(
    RuleTag rule,
    String detector,
    Detector.Kind kind,
    long slideNs,
    int panes,
    long threshold,
    String prefix,
    int baselineTimes,
    long halfLifeNs,
    int leastCompletedPercent)
    implements Serializable {
  public static final String NO_PREFIX = "";

  /** Of most. */
  private static final int FIRST_BYTES = 128;

  private static final long NS_PER_MS = 1_000_000;

  /** For {@link #read}. */
  public void write(DataOutputView out) throws IOException {
    StringValue.writeString(rule.name(), out);
    StringValue.writeString(rule.topic(), out);
    out.writeLong(rule.flowId());
    StringValue.writeString(detector, out);
    StringValue.writeString(kind.name(), out);
    out.writeLong(slideNs);
    out.writeInt(panes);
    out.writeLong(threshold);
    StringValue.writeString(prefix, out);
    out.writeInt(baselineTimes);
    out.writeLong(halfLifeNs);
    out.writeInt(leastCompletedPercent);
  }

  /** As {@link #write} wrote them. */
  public static Terms read(DataInputView in) throws IOException {
    return new Terms(
        new RuleTag(StringValue.readString(in), StringValue.readString(in), in.readLong()),
        StringValue.readString(in),
        Detector.Kind.valueOf(StringValue.readString(in)),
        in.readLong(),
        in.readInt(),
        in.readLong(),
        StringValue.readString(in),
        in.readInt(),
        in.readLong(),
        in.readInt());
  }

  /** By {@link #write}. */
  public byte[] toBytes() {
    DataOutputSerializer out = new DataOutputSerializer(FIRST_BYTES);
    try {
      write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.getCopyOfBuffer();
  }

  public static Terms of(byte[] bytes) throws IOException {
    return read(new DataInputDeserializer(bytes));
  }

  public long windowNs() {
    return slideNs * panes;
  }

  public long endNs(long pane) {
    return (pane + 1) * slideNs;
  }

  /** The watermark that says that nothing of this pane is to come. */
  public long lastMs(long pane) {
    return Math.ceilDiv(endNs(pane), NS_PER_MS) - 1;
  }

  /** Which pane's last millisecond it is; no two share one, as a slide is one or more. */
  public long paneOf(long lastMs) {
    return Math.floorDiv((lastMs + 1) * NS_PER_MS, slideNs) - 1;
  }
}
