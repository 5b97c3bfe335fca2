// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * What traffic to make. The same options make the same packets, byte by byte and nanosecond by
 * nanosecond.
 *
 * @param seed chooses one of 2^64 runs
 * @param flows bidirectional flows alive at a time
 * @param packetsPerSecond mean rate in packet time, without flood and microbursts
 * @param frameBytes every frame's length on the wire without check sequence; {@link #MIX} for a mix
 * @param gaps how packet times are spread
 * @param trainPackets mean number of packets that a flow sends in a row, as senders on fast links
 *     do: 1 draws a flow for every packet, which costs the generator (and whoever keeps state per
 *     flow) most cache misses
 * @param scans whether some look for open ports
 * @param orderly whether flows are long and seen whole: both directions from the first packet on,
 *     every segment once and in its order; so what is lost on the way shows in sequence numbers
 * @param startNs time of the run's begin, UTC
 * @param packets packets in all, flood and microbursts included; {@link #UNLIMITED}
 * @param duration how long in packet time; zero for no limit
 * @param flood a SYN flood, if any
 * @param microbursts microbursts, if any
 * @param truthFile where to write what was generated, if anywhere
 */
public record SyntheticOptions(
    long seed,
    int flows,
    long packetsPerSecond,
    int frameBytes,
    GapShape gaps,
    int trainPackets,
    boolean scans,
    boolean orderly,
    long startNs,
    long packets,
    Duration duration,
    Optional<SynFlood> flood,
    Optional<Microbursts> microbursts,
    Optional<Path> truthFile) {
  public static final int MIX = 0;
  public static final long UNLIMITED = 0;
  public static final int DEFAULT_FLOWS = 11_000;
  public static final int DEFAULT_TRAIN_PACKETS = 4;
  public static final int MAX_TRAIN_PACKETS = 1024;
  public static final int MAX_FLOWS = 1_000_000;
  public static final long MAX_PACKETS_PER_SECOND = 1_000_000_000;
  public static final int SMALLEST_FRAME_BYTES = 64;

  /** Some headers and an IP packet of the greatest length. */
  public static final int LARGEST_FRAME_BYTES = 65_535;

  /** A fixed date, so that runs are reproducible. */
  public static final long DEFAULT_START_NS =
      Instant.parse("2026-01-01T00:00:00Z").getEpochSecond() * 1_000_000_000;

  private static final SynFlood FLOOD =
      new SynFlood(Duration.ofSeconds(10), Duration.ofSeconds(10), 100_000, 10_000);

  /** The last four are the loads of ESnet's High Touch talks, frames without check sequence. */
  private static final Map<String, UnaryOperator<SyntheticOptions>> PRESETS =
      new TreeMap<>(
          Map.of(
              "backbone", options -> options,
              "benign", options -> options.withScans(false),
              "orderly", options -> options.withOrderly(true),
              "syn-flood", options -> options.withFlood(FLOOD),
              "esnet-1500-812k", options -> options.withLoad(1514, 812_000),
              "esnet-1500-8127k", options -> options.withLoad(1514, 8_127_000),
              "esnet-9000-138k", options -> options.withLoad(9014, 138_000),
              "esnet-9000-1383k", options -> options.withLoad(9014, 1_383_000)));

  public SyntheticOptions {
    if (flows < 1 || flows > MAX_FLOWS) {
      throw new IllegalArgumentException(
          "flows must be from 1 to " + MAX_FLOWS + ": flows=" + flows);
    }
    if (packetsPerSecond < 1 || packetsPerSecond > MAX_PACKETS_PER_SECOND) {
      throw new IllegalArgumentException(
          "rate must be from 1 to "
              + MAX_PACKETS_PER_SECOND
              + " packets/s: rate="
              + packetsPerSecond);
    }
    if (frameBytes != MIX
        && (frameBytes < SMALLEST_FRAME_BYTES || frameBytes > LARGEST_FRAME_BYTES)) {
      throw new IllegalArgumentException(
          "frame size must be 0 (a mix) or from "
              + SMALLEST_FRAME_BYTES
              + " to "
              + LARGEST_FRAME_BYTES
              + " bytes: size="
              + frameBytes);
    }
    if (trainPackets < 1 || trainPackets > MAX_TRAIN_PACKETS) {
      throw new IllegalArgumentException(
          "packets in a row must be from 1 to " + MAX_TRAIN_PACKETS + ": train=" + trainPackets);
    }
    if (startNs < 0) {
      throw new IllegalArgumentException("start must be 1970 or later: startNs=" + startNs);
    }
    if (packets < 0 || duration.isNegative()) {
      throw new IllegalArgumentException(
          "packets and duration must not be negative: packets="
              + packets
              + ", duration="
              + duration);
    }
  }

  /** The traffic of a backbone: 11,000 flows at a million packets a second, without end. */
  public static SyntheticOptions defaults() {
    return new SyntheticOptions(
        1,
        DEFAULT_FLOWS,
        1_000_000,
        MIX,
        GapShape.EXPONENTIAL,
        DEFAULT_TRAIN_PACKETS,
        true,
        false,
        DEFAULT_START_NS,
        UNLIMITED,
        Duration.ZERO,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** Options that have a name. */
  public static SyntheticOptions preset(String name) {
    UnaryOperator<SyntheticOptions> preset = PRESETS.get(name);
    if (preset == null) {
      throw new IllegalArgumentException(
          "no preset " + name + "; there are: " + String.join(", ", PRESETS.keySet()));
    }
    return preset.apply(defaults());
  }

  private SyntheticOptions withLoad(int frameBytes, long packetsPerSecond) {
    return withFrameBytes(frameBytes)
        .withPacketsPerSecond(packetsPerSecond)
        .withGaps(GapShape.CONSTANT);
  }

  public SyntheticOptions withSeed(long value) {
    return with(draft -> draft.seed = value);
  }

  public SyntheticOptions withFlows(int value) {
    return with(draft -> draft.flows = value);
  }

  public SyntheticOptions withPacketsPerSecond(long value) {
    return with(draft -> draft.packetsPerSecond = value);
  }

  public SyntheticOptions withFrameBytes(int value) {
    return with(draft -> draft.frameBytes = value);
  }

  public SyntheticOptions withGaps(GapShape value) {
    return with(draft -> draft.gaps = value);
  }

  public SyntheticOptions withTrainPackets(int value) {
    return with(draft -> draft.trainPackets = value);
  }

  public SyntheticOptions withScans(boolean value) {
    return with(draft -> draft.scans = value);
  }

  public SyntheticOptions withOrderly(boolean value) {
    return with(draft -> draft.orderly = value);
  }

  public SyntheticOptions withStartNs(long value) {
    return with(draft -> draft.startNs = value);
  }

  public SyntheticOptions withPackets(long value) {
    return with(draft -> draft.packets = value);
  }

  public SyntheticOptions withDuration(Duration value) {
    return with(draft -> draft.duration = value);
  }

  public SyntheticOptions withFlood(SynFlood value) {
    return with(draft -> draft.flood = Optional.of(value));
  }

  /** The same flood, so fast. */
  public SyntheticOptions withFloodRate(long packetsPerSecond) {
    SynFlood slower =
        flood
            .orElseThrow(
                () -> new IllegalArgumentException("--flood is for the preset syn-flood alone"))
            .withPacketsPerSecond(packetsPerSecond);
    return withFlood(slower);
  }

  public SyntheticOptions withMicrobursts(Microbursts value) {
    return with(draft -> draft.microbursts = Optional.of(value));
  }

  public SyntheticOptions withTruthFile(Path value) {
    return with(draft -> draft.truthFile = Optional.of(value));
  }

  private SyntheticOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** Options whose fields can be set one by one. */
  private static final class Draft {
    long seed;
    int flows;
    long packetsPerSecond;
    int frameBytes;
    GapShape gaps;
    int trainPackets;
    boolean scans;
    boolean orderly;
    long startNs;
    long packets;
    Duration duration;
    Optional<SynFlood> flood;
    Optional<Microbursts> microbursts;
    Optional<Path> truthFile;

    Draft(SyntheticOptions options) {
      seed = options.seed;
      flows = options.flows;
      packetsPerSecond = options.packetsPerSecond;
      frameBytes = options.frameBytes;
      gaps = options.gaps;
      trainPackets = options.trainPackets;
      scans = options.scans;
      orderly = options.orderly;
      startNs = options.startNs;
      packets = options.packets;
      duration = options.duration;
      flood = options.flood;
      microbursts = options.microbursts;
      truthFile = options.truthFile;
    }

    SyntheticOptions options() {
      return new SyntheticOptions(
          seed,
          flows,
          packetsPerSecond,
          frameBytes,
          gaps,
          trainPackets,
          scans,
          orderly,
          startNs,
          packets,
          duration,
          flood,
          microbursts,
          truthFile);
    }
  }
}
