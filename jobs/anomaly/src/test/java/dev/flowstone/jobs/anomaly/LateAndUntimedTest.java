// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.jobs.anomaly.alert.SynWindow;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.rules.function.Detector.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is in no window is counted. */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class LateAndUntimedTest {
  private static final long MS = 1_000_000;
  private static final long BEGIN_MS = 1_700_000_000_000L;

  private static PacketBlock syns(int count, long timeMs) {
    List<TestPacket> packets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      FlowTuple flow = FlowTuple.ipv4(i, 9, 1024, 80, TestPacket.TCP);
      packets.add(new TestPacket(timeMs * MS, 0, i, flow, TestPacket.SYN, 0));
    }
    List<PacketBlock> blocks = new ArrayList<>();
    TestPacket.blocks(packets, blocks::add);
    return blocks.getFirst();
  }

  @Test
  void shouldCountWhatComesBehindTheWatermarkAndNothingBefore() throws Exception {
    try (DetectorRun run = DetectorRun.of(DetectorRun.detector(Kind.SYN_FLOOD, 10))) {
      run.give(syns(12, BEGIN_MS + 4_999));
      run.mark(BEGIN_MS + 4_998);
      run.give(syns(13, BEGIN_MS + 4_999));
      assertThat(run.synWindows()).isEmpty();
      run.mark(BEGIN_MS + 4_999);
      assertThat(run.synWindows()).extracting(SynWindow::count).containsExactly(25L);

      run.give(syns(14, BEGIN_MS + 4_999));
      run.give(syns(11, BEGIN_MS + 5_000));
      run.end();
      assertThat(run.panes().packetsLate()).isEqualTo(14);
      assertThat(run.synWindows()).extracting(SynWindow::count).containsExactly(25L, 11L);
    }
  }

  /** After a restart nobody knows the watermark; but which windows were judged. */
  @Test
  void shouldJudgeNoWindowAgainAfterARestart() throws Exception {
    try (DetectorRun run = DetectorRun.of(DetectorRun.detector(Kind.SYN_FLOOD, 10))) {
      run.give(syns(12, BEGIN_MS + 4_000));
      run.mark(BEGIN_MS + 4_999);
      assertThat(run.synWindows()).hasSize(1);

      run.restartAlerts();
      run.restartPanes(0);
      run.give(syns(30, BEGIN_MS + 4_500));
      run.give(syns(11, BEGIN_MS + 5_000));
      run.end();
      assertThat(run.synWindows()).extracting(SynWindow::count).containsExactly(11L);
    }
  }

  @Test
  void shouldCountWhatHasNoTime() throws Exception {
    PacketBlock timed = syns(20, BEGIN_MS);
    PacketBlockOrigin untimed = new PacketBlockOrigin(0, 1, 0, BEGIN_MS * MS, false);
    try (DetectorRun run = DetectorRun.of(DetectorRun.detector(Kind.SYN_FLOOD, 10))) {
      run.give(PacketBlock.of(untimed, timed.segment(), 0, timed.count(), PacketLoss.NONE));
      run.end();
      assertThat(run.synWindows()).isEmpty();
      assertThat(run.panes().packetsUntimed()).isEqualTo(20);
    }
  }
}
