// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.anomaly.alert.Alert;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Detector.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A busy server is not a flooded one. */
@SuppressWarnings("try") // Its close throws whatever the operators' do.
class HandshakesTest {
  private static final long MS = 1_000_000;
  private static final long BEGIN_NS = 1_700_000_000_000_000_000L;
  private static final int SERVER = 0xcb007150;

  private final List<TestPacket> packets = new ArrayList<>();

  private void send(int client, int destination, int flags, long afterMs) {
    packets.add(
        new TestPacket(
            BEGIN_NS + afterMs * MS,
            0,
            packets.size(),
            FlowTuple.ipv4(client, destination, 50_000, 443, TestPacket.TCP),
            flags,
            0));
  }

  private List<Alert> alerts() throws Exception {
    return alerts(0);
  }

  /** With a restart after so many blocks. */
  private List<Alert> alerts(int flushEvery) throws Exception {
    Detector detector =
        new Detector(
            Kind.SYN_FLOOD,
            50,
            List.of(),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5),
            Optional.empty(),
            Optional.of(50));
    List<PacketBlock> blocks = new ArrayList<>();
    TestPacket.blocks(packets, blocks::add);
    try (DetectorRun run = DetectorRun.of(detector)) {
      for (int i = 0; i < blocks.size(); i++) {
        run.give(blocks.get(i));
        if (flushEvery > 0 && i % flushEvery == 0) {
          run.restartPanes(0);
        }
      }
      return run.end();
    }
  }

  /** Only what clients send is seen. */
  private void visit(int clients, int completing, long answerMs) {
    for (int i = 0; i < clients; i++) {
      send(i, SERVER, TestPacket.SYN, 20L * i);
      if (i < completing) {
        send(i, SERVER, TestPacket.ACK, 20L * i + answerMs);
        send(i, SERVER, TestPacket.ACK | 8, 20L * i + answerMs + 1);
      }
    }
  }

  @Test
  void shouldLetAServerAloneWhoseClientsGetThrough() throws Exception {
    visit(200, 120, 15);
    assertThat(alerts()).isEmpty();
  }

  @Test
  void shouldTellOfAServerWhoseClientsMostlyDoNot() throws Exception {
    visit(200, 80, 15);
    List<Alert> alerts = alerts();
    assertThat(alerts.getFirst().observed()).isEqualTo(200);
    assertThat(alerts.getFirst().completedPercent()).isEqualTo(40);
  }

  @Test
  void shouldCountAnAckOnceAndOnlyOfTheSameDirection() throws Exception {
    for (int i = 0; i < 100; i++) {
      send(i, SERVER, TestPacket.SYN, 20L * i);
      // A retransmission begins nothing anew; others' packets complete nothing.
      send(i, SERVER, TestPacket.SYN, 20L * i + 1);
      send(SERVER, i, TestPacket.ACK, 20L * i + 2);
      send(i + 1_000, SERVER, TestPacket.ACK, 20L * i + 3);
      send(i, SERVER, TestPacket.ACK | TestPacket.SYN, 20L * i + 4);
      send(i, SERVER, TestPacket.ACK | TestPacket.RST, 20L * i + 5);
    }
    send(7, SERVER, TestPacket.ACK, 2_500);
    Alert opened = alerts().getFirst();
    assertThat(opened.observed()).isEqualTo(200);
    assertThat(opened.completedPercent()).isEqualTo(1);
  }

  @Test
  void shouldNotTakeForCompletedWhatComesMuchLater() throws Exception {
    visit(60, 60, 3_001);
    assertThat(alerts().getFirst().completedPercent()).isZero();
    packets.clear();
    visit(60, 60, 3_000);
    assertThat(alerts()).isEmpty();
  }

  /** A flood has filled the room of those that are waited for, and no watermark came since. */
  @Test
  void shouldLetAServerAloneAfterAnotherWasFlooded() throws Exception {
    for (int i = 0; i < 150_000; i++) {
      send(-i, SERVER + 1, TestPacket.SYN, i / 40);
    }
    for (int i = 0; i < 200; i++) {
      send(i, SERVER, TestPacket.SYN, 5_500 + 20L * i);
      send(i, SERVER, TestPacket.ACK, 5_515 + 20L * i);
    }
    assertThat(alerts())
        .isNotEmpty()
        .allSatisfy(alert -> assertThat(alert.subject().address()).endsWith(".81"));
  }

  /** Blocks end where the second does: handshakes are begun before a restart, completed after. */
  @Test
  void shouldGoOnAfterARestart() throws Exception {
    for (int i = 0; i < 100; i++) {
      send(i, SERVER, TestPacket.SYN, 9L * i);
    }
    for (int i = 0; i < 100; i++) {
      send(i, SERVER, TestPacket.ACK, 1_500 + 9L * i);
    }
    assertThat(alerts(1)).isEmpty();
  }
}
