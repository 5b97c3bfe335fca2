// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.benchmarks.KafkaLoad.Messages;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.connector.base.DeliveryGuarantee;

/**
 * Packet batches beside single packets, each exactly once, with the parallelism that suits it best
 * and as long a warm-up; and batches at least once, beside.
 */
record KafkaComparison(
    KafkaLoad batches,
    KafkaMeasurement exactlyOnce,
    Optional<KafkaMeasurement> atLeastOnce,
    KafkaLoad singles,
    KafkaMeasurement baseline) {
  /** A broker's compilers take that long: until then they have a core to themselves. */
  private static final Duration WARM_UP = Duration.ofSeconds(25);

  private static final int MAX_PARALLELISM = 2;

  /** One load, from wherever its packets come. */
  interface Trial {
    KafkaMeasurement run(KafkaLoad load, BenchScale scale) throws Exception;
  }

  /** The measurements that {@link #of} takes. */
  static Steps steps(BenchScale scale) {
    BenchScale whole = whole(scale);
    Steps figures = Steps.of(whole, whole);
    Steps trials = Steps.of(trial(whole)).times(2 * MAX_PARALLELISM);
    return figures
        .plus(scale.isQuick() ? Steps.NONE : Steps.of(whole))
        .plus(scale.isFull() ? trials : Steps.NONE);
  }

  static KafkaComparison of(Trial trial, BenchScale scale) throws Exception {
    BenchScale whole = whole(scale);
    KafkaLoad batches = best(trial, Messages.BATCHES, whole);
    KafkaMeasurement exactlyOnce = run(trial, batches, whole);
    Optional<KafkaMeasurement> atLeastOnce =
        scale.isQuick()
            ? Optional.empty()
            : Optional.of(run(trial, batches.with(DeliveryGuarantee.AT_LEAST_ONCE), whole));
    KafkaLoad singles = best(trial, Messages.SINGLES, whole);
    return new KafkaComparison(
        batches, exactlyOnce, atLeastOnce, singles, run(trial, singles, whole));
  }

  private static BenchScale whole(BenchScale scale) {
    return scale.isFull() ? scale.withWarmUp(WARM_UP).withLongWindows() : scale;
  }

  private static BenchScale trial(BenchScale whole) {
    return whole.withWindows(1);
  }

  private static KafkaLoad best(Trial trial, Messages messages, BenchScale whole) throws Exception {
    if (!whole.isFull()) {
      int parallelism = whole.isSmoke() ? 1 : MAX_PARALLELISM;
      return new KafkaLoad(messages, DeliveryGuarantee.EXACTLY_ONCE, parallelism);
    }
    KafkaLoad best = null;
    double most = 0;
    for (int parallelism = 1; parallelism <= MAX_PARALLELISM; parallelism++) {
      KafkaLoad load = new KafkaLoad(messages, DeliveryGuarantee.EXACTLY_ONCE, parallelism);
      double rate = run(trial, load, trial(whole)).rates().median();
      if (rate > most) {
        best = load;
        most = rate;
      }
    }
    return best;
  }

  private static KafkaMeasurement run(Trial trial, KafkaLoad load, BenchScale scale)
      throws Exception {
    Progress.step(load.toString(), scale);
    return trial.run(load, scale);
  }

  BenchResult result(String name) {
    Map<String, Object> further = new LinkedHashMap<>();
    further.put("delivery", "exactly once, a checkpoint each second, acks all");
    further.put("cpu_ns_per_packet", exactlyOnce.cpuNsPerPacket());
    further.put("bytes_per_packet", exactlyOnce.bytesPerPacket());
    further.put("bytes_per_message", exactlyOnce.bytesPerMessage());
    further.put("packets_recounted", exactlyOnce.content().packets());
    further.put("parallelism", batches.parallelism());
    atLeastOnce.ifPresent(each -> further.put("at_least_once", each.toKeys(batches)));
    further.put("one_packet_per_message", baseline.toKeys(singles));
    return new BenchResult(
        name,
        "packets/s",
        BenchResult.Better.MORE,
        exactlyOnce.rates(),
        baseline.rates(),
        "one packet per message of 40 bytes (IPv4), exactly once, same broker",
        further);
  }
}
