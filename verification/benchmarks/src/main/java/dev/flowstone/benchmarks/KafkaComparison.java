// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.benchmarks.KafkaLoad.Messages;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.connector.base.DeliveryGuarantee;

/**
 * Packet batches beside single packets, each exactly once, with the parallelism that suits it best
 * and as long a warm-up; and batches at least once, beside.
 */
record KafkaComparison(
    KafkaLoad batches,
    KafkaMeasurement exactlyOnce,
    KafkaMeasurement atLeastOnce,
    KafkaLoad singles,
    KafkaMeasurement baseline) {
  /** A broker's compilers take that long: until then they have a core to themselves. */
  private static final Duration WARM_UP = Duration.ofSeconds(25);

  private static final Duration WINDOW = Duration.ofSeconds(10);
  private static final int WINDOWS = 5;
  private static final int MOST_PARALLELISM = 2;

  /** One load, from wherever its packets come. */
  interface Trial {
    KafkaMeasurement run(KafkaLoad load, BenchScale scale) throws Exception;
  }

  static KafkaComparison of(Trial trial, BenchScale scale) throws Exception {
    BenchScale whole =
        scale.isFull() ? scale.withWarmUp(WARM_UP).withWindows(WINDOW, WINDOWS) : scale;
    KafkaLoad batches = best(trial, Messages.BATCHES, whole);
    KafkaMeasurement exactlyOnce = run(trial, batches, whole);
    KafkaLoad sooner =
        new KafkaLoad(Messages.BATCHES, DeliveryGuarantee.AT_LEAST_ONCE, batches.parallelism());
    KafkaMeasurement atLeastOnce = run(trial, sooner, whole);
    KafkaLoad singles = best(trial, Messages.SINGLES, whole);
    return new KafkaComparison(
        batches, exactlyOnce, atLeastOnce, singles, run(trial, singles, whole));
  }

  private static KafkaLoad best(Trial trial, Messages messages, BenchScale whole) throws Exception {
    if (!whole.isFull()) {
      return new KafkaLoad(messages, DeliveryGuarantee.EXACTLY_ONCE, 1);
    }
    KafkaLoad best = null;
    double most = 0;
    for (int parallelism = 1; parallelism <= MOST_PARALLELISM; parallelism++) {
      KafkaLoad load = new KafkaLoad(messages, DeliveryGuarantee.EXACTLY_ONCE, parallelism);
      double rate = run(trial, load, whole.withWindows(whole.window(), 1)).rates().median();
      if (rate > most) {
        best = load;
        most = rate;
      }
    }
    return best;
  }

  private static KafkaMeasurement run(Trial trial, KafkaLoad load, BenchScale scale)
      throws Exception {
    Progress.say(load.toString());
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
    further.put("at_least_once", atLeastOnce.toKeys(batches));
    further.put("one_packet_per_message", baseline.toKeys(singles));
    return new BenchResult(
        name,
        "packets/s",
        BenchResult.Better.MORE,
        exactlyOnce.rates(),
        baseline.rates(),
        "one packet per message of 40 bytes (IPv4), exactly once, best parallelism, same broker",
        further);
  }
}
