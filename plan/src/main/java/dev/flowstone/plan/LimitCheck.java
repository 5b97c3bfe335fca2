// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.Comparator;
import java.util.List;

/**
 * A limit held against a site.
 *
 * @param mostPacketsPerSecond to each server up to which it holds; infinite if no rate breaks it, 0
 *     if the least one does
 */
record LimitCheck(Limit limit, double needed, double there, double mostPacketsPerSecond) {
  /** No link has more: 64-byte frames of 400 Gb/s. */
  private static final double MOST = 1e9;

  private static final double LEAST = 1e3;
  private static final double STEP = 1.01;

  /** A part of what every machine has; Kafka's own documents advise no more for one broker. */
  private static final double PARTITIONS_OF_BROKER = 4_000;

  private static final double KEY_GROUPS = 128;

  /** What Linux gives /dev/shm of a machine's memory. */
  private static final double SHM_PART = 0.5;

  private static final List<Limit> LIMITS =
      List.of(
          new Limit(
              "cores of a server",
              Unit.COUNT,
              sizing -> sizing.work().coresToBuy(),
              sizing -> sizing.site().machine().cores(),
              "sample, aggregate or drop a part of the packets, or spread them over more servers"),
          new Limit(
              "memory of a server",
              Unit.MEMORY,
              sizing -> sizing.memory().bytes(),
              sizing -> sizing.site().machine().memoryBytes(),
              "checkpoint more often, which needs smaller rings, or give it more memory"),
          new Limit(
              "/dev/shm of a server",
              Unit.MEMORY,
              sizing -> sizing.rings().roomBytes(),
              sizing -> SHM_PART * sizing.site().machine().memoryBytes(),
              "mount -o remount,size=SIZE /dev/shm, which is half of the memory unless told; or"
                  + " checkpoint more often"),
          new Limit(
              "rings of one tap",
              Unit.PACKETS_PER_SECOND,
              sizing -> sizing.site().traffic().packetsPerSecond(),
              sizing -> sizing.work().mostIntoRings(),
              "its threads take turns at the rings: a tap and a job for each half of the packets"),
          new Limit(
              "key groups of a job",
              Unit.COUNT,
              sizing -> sizing.rings().count(),
              _ -> KEY_GROUPS,
              "--max-parallelism of the tap and pipeline.max-parallelism of the job, before the"
                  + " first checkpoint"),
          new Limit(
              "uplink of a server",
              Unit.BITS_PER_SECOND,
              sizing -> sizing.kafka().uplinkBitsPerSecond(),
              sizing -> sizing.site().machine().uplinkBitsPerSecond(),
              "a faster link to Kafka; sample, aggregate or drop a part of the packets"),
          new Limit(
              "checkpoint in its interval",
              Unit.SECONDS,
              sizing -> sizing.state().checkpointSeconds(),
              sizing -> sizing.site().operation().intervalSeconds(),
              "checkpoint less often, or to faster disks; fewer flows with histograms, or less"
                  + " watched for alerts than the 64 MiB of --watched-bytes that this takes"),
          new Limit(
              "partitions of a broker",
              Unit.COUNT,
              sizing ->
                  (double) sizing.kafka().partitions()
                      * sizing.site().operation().replicas()
                      / sizing.kafka().brokers(),
              _ -> PARTITIONS_OF_BROKER,
              "more brokers"));

  /** All limits, what breaks first before the others. */
  static List<LimitCheck> of(Sizing sizing, CostTable costs, double speed) {
    return LIMITS.stream()
        .map(limit -> of(limit, sizing, costs, speed))
        .sorted(
            Comparator.comparingDouble(LimitCheck::mostPacketsPerSecond)
                .thenComparing(Comparator.comparingDouble(LimitCheck::part).reversed()))
        .toList();
  }

  private static LimitCheck of(Limit limit, Sizing sizing, CostTable costs, double speed) {
    return new LimitCheck(
        limit,
        limit.needed().applyAsDouble(sizing),
        limit.there().applyAsDouble(sizing),
        breaksAbove(limit, sizing, costs, speed));
  }

  /** Step by step: rings are powers of two, so that a higher rate may need less of them. */
  private static double breaksAbove(Limit limit, Sizing sizing, CostTable costs, double speed) {
    double most = 0;
    for (double rate = LEAST; rate < MOST; rate *= STEP) {
      if (!limit.fits(sizing.at(rate, costs, speed))) {
        return most;
      }
      most = rate;
    }
    return Double.POSITIVE_INFINITY;
  }

  double part() {
    return needed / there;
  }

  boolean fits() {
    return needed <= there;
  }
}
