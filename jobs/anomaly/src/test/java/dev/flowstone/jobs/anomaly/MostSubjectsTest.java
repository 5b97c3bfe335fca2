// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.anomaly.alert.Alert;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A flood from forged sources, each of which a detector of scans would have to watch. */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class MostSubjectsTest {
  private static final long MS = 1_000_000;
  private static final long START_NS = 1_700_000_000_000_000_000L;

  /** Of such as one packet is known of; each takes somewhat less than half a kilobyte. */
  private static final int MOST = 50;

  private static final long MOST_BYTES = 470L * MOST;
  private static final int FORGED = 5_000;
  private static final int SCANNER = 0x0a000001;
  private static final RulesInForce RULES =
      RulesInForce.everyPacket(new Anomaly(List.of(DetectorRun.detector(Kind.HOST_SCAN, 20))));

  private final List<TestPacket> packets = new ArrayList<>();

  private void add(int source, int destination, long timeMs) {
    FlowTuple flow = FlowTuple.ipv4(source, destination, 1_024, 22, TestPacket.TCP);
    packets.add(new TestPacket(START_NS + timeMs * MS, 1, packets.size(), flow, TestPacket.SYN, 0));
  }

  private void scan(long fromMs) {
    for (int i = 0; i < 100; i++) {
      add(SCANNER, 0x0b000000 + i, fromMs + 10L * i);
    }
  }

  private void flood(long fromMs) {
    for (int i = 0; i < FORGED; i++) {
      add(0x0c000000 + i, 0x0b000001, fromMs + i / 10);
    }
  }

  /** Gives what was added, and says how far time has come. */
  private void give(DetectorRun run, long markMs) throws Exception {
    List<PacketBlock> blocks = new ArrayList<>();
    TestPacket.blocks(packets, blocks::add);
    packets.clear();
    for (PacketBlock block : blocks) {
      run.give(block);
    }
    run.mark(START_NS / MS + markMs - 1);
  }

  @Test
  void shouldKeepAnOpenAlertAndCountWhatFindsNoRoom() throws Exception {
    try (DetectorRun run = new DetectorRun(RULES, 1, MOST_BYTES, 1 << 20)) {
      scan(0);
      give(run, 5_000);
      assertThat(run.alerts()).extracting(Alert::state).containsExactly(Alert.State.OPENED);

      flood(5_000);
      scan(8_000);
      give(run, 10_000);
      // Its alert takes as much as ten others.
      assertThat(run.packetsWithoutRoom()).isBetween(FORGED - MOST + 5L, FORGED - MOST + 15L);

      // The flood is over, and there is room again.
      for (int i = 0; i < 100; i++) {
        add(SCANNER + 1, 0x0b000000 + i, 10_000 + i);
      }
      give(run, 10_200);
      run.restartPanes(0);
      flood(10_200);
      give(run, 15_000);
      assertThat(run.alerts())
          .extracting(alert -> alert.subject().address() + " " + alert.state())
          .containsExactlyInAnyOrder(
              "10.0.0.1 OPENED", "10.0.0.1 UPDATED", "10.0.0.1 CLOSED", "10.0.0.2 OPENED");
      run.end();
      assertThat(run.isForgotten()).isTrue();
    }
  }

  /** Only the state knows how many there are. */
  @Test
  void shouldKnowItsSubjectsAfterARestart() throws Exception {
    try (DetectorRun run = new DetectorRun(RULES, 1, MOST_BYTES, 1 << 20)) {
      flood(0);
      give(run, 1);
      run.restartPanes(0);
      assertThat(run.packetsWithoutRoom()).isEqualTo(FORGED - MOST);
      run.restartAlerts();
      scan(1_000);
      give(run, 2);
      run.restartPanes(0);
      assertThat(run.packetsWithoutRoom()).isEqualTo(100);
      assertThat(run.end()).isEmpty();
    }
  }
}
