// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.time.Instant;
import java.util.Optional;

/**
 * What synthetic traffic looks like. The same options always give the same packets.
 *
 * @param seed chooses among traffic of the same shape
 * @param flows conversations alive at any time; default 10,000
 * @param packetsPerSecond rate of the usual traffic in synthetic time; default 1,000,000
 * @param frameBytes length of every frame of the usual traffic on the wire, or {@link #MIXED_SIZES}
 *     (default)
 * @param packetLimit packets after which the source ends, or {@link #NO_LIMIT} (default)
 * @param startNs synthetic time of the start in ns since 1970; default 2026-01-01T00:00:00Z
 * @param flood SYN flood, default none
 * @param microburst microbursts, default none
 * @param truth whether the source counts what it sends; off makes it about a third faster
 */
public record SyntheticOptions(
    long seed,
    int flows,
    long packetsPerSecond,
    int frameBytes,
    long packetLimit,
    long startNs,
    Optional<SynFlood> flood,
    Optional<Microburst> microburst,
    boolean truth) {

  public static final int MIXED_SIZES = 0;
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** One client address for each flow and generation must fit into 10.0.0.0/8: see Endpoints. */
  public static final int MAX_FLOWS = 1_000_000;

  /** Two nanoseconds between packets: times stay distinct and still random. */
  public static final long MAX_PACKETS_PER_SECOND = 500_000_000;

  /** Any header this source writes fits in, so a frame of fixed size never has to grow. */
  public static final int MIN_FRAME_BYTES = 128;

  public static final int MAX_FRAME_BYTES = 9216;

  /** Keeps start plus any flood inside a signed 64-bit count of nanoseconds. */
  private static final long MAX_START_NS = Long.MAX_VALUE / 2;

  public static final SyntheticOptions DEFAULT =
      new SyntheticOptions(
          1,
          10_000,
          1_000_000,
          MIXED_SIZES,
          NO_LIMIT,
          Instant.parse("2026-01-01T00:00:00Z").getEpochSecond() * 1_000_000_000L,
          Optional.empty(),
          Optional.empty(),
          true);

  public SyntheticOptions {
    require(flows >= 1 && flows <= MAX_FLOWS, "flows must be in 1.." + MAX_FLOWS, flows);
    requireRate("packets per second", packetsPerSecond);
    if (frameBytes != MIXED_SIZES) {
      requireFrameBytes("frame size", frameBytes);
    }
    require(packetLimit >= 1, "packet limit must be at least 1", packetLimit);
    require(
        startNs >= 0 && startNs <= MAX_START_NS, "start must be in 0.." + MAX_START_NS, startNs);
  }

  public SyntheticOptions withSeed(long value) {
    return new SyntheticOptions(
        value, flows, packetsPerSecond, frameBytes, packetLimit, startNs, flood, microburst, truth);
  }

  public SyntheticOptions withFlows(int value) {
    return new SyntheticOptions(
        seed, value, packetsPerSecond, frameBytes, packetLimit, startNs, flood, microburst, truth);
  }

  public SyntheticOptions withPacketsPerSecond(long value) {
    return new SyntheticOptions(
        seed, flows, value, frameBytes, packetLimit, startNs, flood, microburst, truth);
  }

  public SyntheticOptions withFrameBytes(int value) {
    return new SyntheticOptions(
        seed, flows, packetsPerSecond, value, packetLimit, startNs, flood, microburst, truth);
  }

  public SyntheticOptions withPacketLimit(long value) {
    return new SyntheticOptions(
        seed, flows, packetsPerSecond, frameBytes, value, startNs, flood, microburst, truth);
  }

  public SyntheticOptions withStartNs(long value) {
    return new SyntheticOptions(
        seed, flows, packetsPerSecond, frameBytes, packetLimit, value, flood, microburst, truth);
  }

  public SyntheticOptions withFlood(SynFlood value) {
    return new SyntheticOptions(
        seed,
        flows,
        packetsPerSecond,
        frameBytes,
        packetLimit,
        startNs,
        Optional.of(value),
        microburst,
        truth);
  }

  public SyntheticOptions withMicroburst(Microburst value) {
    return new SyntheticOptions(
        seed,
        flows,
        packetsPerSecond,
        frameBytes,
        packetLimit,
        startNs,
        flood,
        Optional.of(value),
        truth);
  }

  public SyntheticOptions withTruth(boolean value) {
    return new SyntheticOptions(
        seed, flows, packetsPerSecond, frameBytes, packetLimit, startNs, flood, microburst, value);
  }

  static void require(boolean holds, String rule, Object value) {
    if (!holds) {
      throw new IllegalArgumentException("synthetic traffic: " + rule + ", not " + value);
    }
  }

  static void requireRate(String name, long packetsPerSecond) {
    require(
        packetsPerSecond >= 1 && packetsPerSecond <= MAX_PACKETS_PER_SECOND,
        name + " must be in 1.." + MAX_PACKETS_PER_SECOND,
        packetsPerSecond);
  }

  static void requireFrameBytes(String name, int frameBytes) {
    require(
        frameBytes >= MIN_FRAME_BYTES && frameBytes <= MAX_FRAME_BYTES,
        name + " must be in " + MIN_FRAME_BYTES + ".." + MAX_FRAME_BYTES + " bytes",
        frameBytes);
  }
}
