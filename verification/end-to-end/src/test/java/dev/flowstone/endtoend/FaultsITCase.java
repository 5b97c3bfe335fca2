// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.testbed.faults.Fault;
import dev.flowstone.testbed.faults.FaultScene;
import dev.flowstone.testbed.faults.MortalBroker;
import dev.flowstone.testbed.kafka.BatchLedger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever goes wrong: what a read_committed consumer finds of each stream, and what its messages
 * say is lost of it, is what the tap was offered by its own books; no packet comes twice, and each
 * flow keeps its order.
 */
class FaultsITCase {
  @TempDir private static Path folder;
  private static MortalBroker broker;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = MortalBroker.start(folder.resolve("kafka"));
  }

  @AfterAll
  static void stopBroker() {
    if (broker != null) {
      broker.close();
    }
  }

  /** DeploymentITCase kills a TaskManager, too: with --all it is killed here as well. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TASK_MANAGER_KILLED")
  @Timeout(400)
  void shouldAccountForEveryPacket(Fault fault) throws Exception {
    survive(fault, "once", 1, Duration.ofSeconds(1));
  }

  @ParameterizedTest
  @EnumSource
  @Tag("slow")
  @Timeout(2400)
  void shouldAccountForEveryPacketAgainAndAgain(Fault fault) throws Exception {
    survive(fault, "often", 10, Duration.ofSeconds(10));
  }

  private static void survive(Fault fault, String often, int strikes, Duration outage)
      throws Exception {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println(fault + ": seed " + seed + "; again with -Dflowstone.seed=" + seed);
    String name = fault.name().toLowerCase(Locale.ROOT) + "_" + often;
    try (FaultScene scene =
        new FaultScene(folder.resolve(name), name, broker, strikes, outage, new Random(seed))) {
      fault.arrange(scene);
      scene.begin();
      for (int strike = 0; strike < strikes; strike++) {
        scene.pause();
        fault.strike(scene);
      }
      scene.end();
      BatchLedger ledger = scene.readBack();
      System.out.printf(
          "%s: offered %,d, read back %,d in %,d messages, lost %,d%n",
          fault, sum(scene.offered()), ledger.packets(), ledger.batches(), ledger.lost());
      assertThat(accounted(ledger)).as("consumed + lost = offered").isEqualTo(scene.offered());
      assertThat(ledger.faults()).isEmpty();
      fault.check(scene, ledger);
    }
  }

  private static Map<Long, Long> accounted(BatchLedger ledger) {
    return ledger.accounts().entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, account -> account.getValue().accounted()));
  }

  private static long sum(Map<Long, Long> packets) {
    return packets.values().stream().mapToLong(Long::longValue).sum();
  }
}
