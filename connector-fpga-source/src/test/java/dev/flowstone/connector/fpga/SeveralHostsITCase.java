// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.HostedSource.Host;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingLanes.Occupant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A job on two TaskManagers that believe themselves on different hosts. */
@Timeout(60)
class SeveralHostsITCase {
  private static final int SLOTS_LOG2 = 15;

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(LedgerJob.PARALLELISM)
              .setNumberSlotsPerTaskManager(1)
              .build());

  @TempDir private Path scratch;
  private final List<TestTap> taps = new ArrayList<>();
  private final FpgaSourceBuilder source =
      FpgaSource.builder().bounded().discoveryInterval(Duration.ofMillis(50));
  private LedgerJob job;

  @BeforeEach
  void begin(@InjectMiniCluster MiniCluster cluster) {
    source.ringDirectory(Path.of("/where/all/hosts/have/their/rings"));
    job = new LedgerJob("several-hosts", scratch, cluster);
  }

  @AfterEach
  void stop() throws Exception {
    job.close();
    taps.forEach(TestTap::close);
  }

  private Path folder(String name) {
    return scratch.resolve(name);
  }

  private TestTap tap(String folder, int rings) {
    TestTap tap = new TestTap(folder(folder), rings, SLOTS_LOG2);
    taps.add(tap);
    return tap;
  }

  private void start(Host first, Host second) throws Exception {
    job.start(new HostedSource(source.build(), first, second));
  }

  @Test
  void shouldReadEachRingOnceWhenBothHostsSeeOneFolder() throws Exception {
    TestTap tap = tap("shared", 4);
    start(new Host("one", folder("shared")), new Host("other", folder("shared")));
    tap.write(20_000);
    job.waitUntilRead(tap.offered());
    for (int ring = 0; ring < 4; ring++) {
      assertThat(tap.writer().ringFile(ring).lanes().occupants())
          .as("claims of ring " + ring)
          .extracting(Occupant::epoch)
          .containsExactly(1);
    }
    tap.end();
    job.finish();
    job.requireEveryPacketOf(tap);
  }

  @Test
  void shouldReadEveryRingOfTwoHostsOfOneName() throws Exception {
    TestTap here = tap("here", 2);
    TestTap there = tap("there", 2);
    here.write(10_000);
    there.write(15_000);
    start(new Host("localhost", folder("here")), new Host("localhost", folder("there")));
    here.end();
    there.end();
    job.finish();
    job.requireEveryPacketOf(here, there);
  }

  @Test
  void shouldNotEndBeforeTheTapsOfBothHostsHaveEnded() throws Exception {
    TestTap early = tap("early", 2);
    early.write(5_000);
    early.end();
    start(new Host("localhost", folder("early")), new Host("localhost", folder("late")));
    job.waitUntilRead(early.offered());
    CatalogSource.awaitPolls(LedgerJob.PARALLELISM);
    assertThat(job.isOver()).as("over before the second tap came").isFalse();
    TestTap late = tap("late", 2);
    late.write(5_000);
    job.waitUntilRead(early.offered() + late.offered());
    CatalogSource.awaitPolls(LedgerJob.PARALLELISM);
    assertThat(job.isOver()).as("over before the second tap ended").isFalse();
    late.write(5_000);
    late.end();
    job.finish();
    job.requireEveryPacketOf(early, late);
  }

  @Test
  void shouldEndWithoutATapOnAHostThatItWasNotToldOf() throws Exception {
    TestTap tap = tap("here", 2);
    source.host("with-tap");
    start(new Host("with-tap", folder("here")), new Host("without", folder("nowhere")));
    tap.write(5_000);
    tap.end();
    job.finish();
    job.requireEveryPacketOf(tap);
  }

  /** Neither name nor subtask says which ring a position belongs to. */
  @Test
  void shouldGoOnWhereItWasWhenHostsAreRenamedAndSubtasksChangePlaces() throws Exception {
    TestTap here = tap("here", 2);
    TestTap there = tap("there", 2);
    start(new Host("red", folder("here")), new Host("green", folder("there")));
    here.write(5_000);
    there.write(7_000);
    job.waitUntilRead(12_000);
    job.cancel();
    here.write(5_000);
    there.write(7_000);
    start(new Host("red", folder("there")), new Host("blue", folder("here")));
    here.write(5_000);
    there.write(7_000);
    here.end();
    there.end();
    job.finish();
    job.requireEveryPacketOf(here, there);
  }

  @Test
  void shouldRefuseACopiedFolderWithATapOnEachHost() throws Exception {
    TestTap former = new TestTap(folder("original"), 1, SLOTS_LOG2);
    String stream = StreamNumber.text(former.stream(0));
    former.close();
    copyRing(folder("original"), folder("copy"));
    tap("original", 1);
    tap("copy", 1);
    start(new Host("one", folder("original")), new Host("other", folder("copy")));
    assertThatThrownBy(job::finish)
        .hasStackTraceContaining("two taps fill stream " + stream)
        .hasStackTraceContaining("one folder is a copy of the other");
  }

  private static void copyRing(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    Files.copy(new RingDirectory(from).ringFile(0), new RingDirectory(to).ringFile(0));
  }
}
