// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.offheap.ring.WhenFull;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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

/** Several taps and several jobs on one host: what one job misses is counted, and is its own. */
@Timeout(90)
class SharedTapsITCase {
  private static final int JOBS = 2;
  private static final int ROOMY_SLOTS_LOG2 = 15;
  private static final int SMALL_SLOTS_LOG2 = 10;

  /** More packets than two small rings hold. */
  private static final int SEVERAL_LAPS = 8_000;

  private static final Duration LONG = Duration.ofMinutes(10);

  /** Then a tap drops rather than wait for a job that failed, so that the job can say why. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(JOBS * LedgerJob.PARALLELISM)
              .build());

  @TempDir private Path scratch;
  private final List<TestTap> taps = new ArrayList<>();
  private final List<LedgerJob> jobs = new ArrayList<>();

  private MiniCluster cluster;

  @BeforeEach
  void begin(@InjectMiniCluster MiniCluster minicluster) {
    cluster = minicluster;
  }

  @AfterEach
  void stop() throws Exception {
    for (LedgerJob job : jobs) {
      job.close();
    }
    taps.forEach(TestTap::close);
  }

  private Path folder(int tap) {
    return scratch.resolve("rings-" + tap);
  }

  private TestTap tap(int rings, int slotsLog2) {
    TestTap tap = new TestTap(folder(taps.size()), rings, slotsLog2, WhenFull.WAIT);
    tap.writer().limitWaiting(PATIENCE);
    taps.add(tap);
    return tap;
  }

  private LedgerJob job(String name) {
    LedgerJob job = new LedgerJob(name, scratch, cluster);
    jobs.add(job);
    return job;
  }

  /** Of all taps there are. */
  private FpgaSourceBuilder source(String readerName) {
    FpgaSourceBuilder source =
        FpgaSource.builder()
            .bounded()
            .readerName(readerName)
            .discoveryInterval(Duration.ofMillis(50));
    for (int tap = 0; tap < taps.size(); tap++) {
      source.ringDirectory(folder(tap));
    }
    return source;
  }

  private void writeToAll(int packets) {
    taps.forEach(tap -> tap.write(packets));
  }

  private void waitForReaders(int count) throws InterruptedException {
    LedgerJob.waitUntil(
        count + " readers of each ring",
        () -> taps.stream().allMatch(tap -> hasReaders(tap, count)));
  }

  private static boolean hasReaders(TestTap tap, int count) {
    for (int ring = 0; ring < tap.writer().ringCount(); ring++) {
      if (tap.writer().ringFile(ring).lanes().occupants().size() != count) {
        return false;
      }
    }
    return true;
  }

  private long offered() {
    return taps.stream().mapToLong(TestTap::offered).sum();
  }

  private long dropped() {
    return taps.stream().mapToLong(TestTap::dropped).sum();
  }

  private void end() throws Exception {
    taps.forEach(TestTap::end);
    for (LedgerJob job : jobs) {
      job.finish();
    }
  }

  @Test
  void shouldGiveOneJobEveryPacketOfTwoTaps() throws Exception {
    TestTap first = tap(2, SMALL_SLOTS_LOG2);
    TestTap second = tap(3, SMALL_SLOTS_LOG2);
    LedgerJob job = job("both-taps");
    job.start(source("one").build());
    waitForReaders(1);
    for (int i = 0; i < 5; i++) {
      writeToAll(3_000);
    }
    end();
    job.requireEveryPacketOf(first, second);
  }

  @Test
  void shouldGiveEachOfTwoJobsEveryPacketOfTwoTapsAlsoWhenOneGoesAndComes() throws Exception {
    TestTap first = tap(2, ROOMY_SLOTS_LOG2);
    TestTap second = tap(1, ROOMY_SLOTS_LOG2);
    LedgerJob steady = job("steady");
    LedgerJob absent = job("absent");
    steady.start(source("steady").build());
    absent.start(source("absent").build());
    writeToAll(5_000);
    steady.waitUntilRead(offered());
    absent.waitUntilRead(offered());
    absent.cancel();
    writeToAll(5_000);
    steady.waitUntilRead(offered());
    absent.start(source("absent").build());
    writeToAll(5_000);
    end();
    steady.requireEveryPacketOf(first, second);
    absent.requireEveryPacketOf(first, second);
  }

  /** The space of the one that is away is held for it; what finds no room both are told of. */
  @Test
  void shouldTellBothJobsExactlyWhatTheTapsDropForOneThatIsAway() throws Exception {
    TestTap first = tap(2, SMALL_SLOTS_LOG2);
    TestTap second = tap(2, SMALL_SLOTS_LOG2);
    LedgerJob steady = job("steady");
    LedgerJob absent = job("absent");
    steady.start(source("steady").build());
    absent.start(source("absent").build());
    waitForReaders(2);
    writeToAll(3_000);
    absent.cancel();
    taps.forEach(tap -> tap.writer().limitWaiting(Duration.ZERO));
    writeToAll(SEVERAL_LAPS);
    taps.forEach(tap -> tap.writer().limitWaiting(PATIENCE));
    absent.start(source("absent").build());
    writeToAll(3_000);
    end();
    assertThat(dropped()).isPositive();
    for (LedgerJob job : jobs) {
      job.requireAccountsOf(first);
      job.requireAccountsOf(second);
      assertThat(job.book().lost()).isEqualTo(dropped());
    }
    assertThat(steady.book().openedSubtasks).hasValue(LedgerJob.PARALLELISM);
  }

  /** Its own restarts and attempts take its lanes over; nobody else does while it lives. */
  @Test
  void shouldRefuseAJobWhoseReaderNameAnotherLivingOneHas() throws Exception {
    TestTap tap = tap(2, ROOMY_SLOTS_LOG2);
    LedgerJob holder = job("holder");
    holder.start(source("same").build());
    waitForReaders(1);
    tap.write(3_000);
    FpgaSource wanted = source("same").build();
    assertThatThrownBy(wanted::requireFreeReaderName)
        .as("told before it begins")
        .hasMessageContaining("taken by job \"holder\"");
    LedgerJob rival = new LedgerJob("rival", scratch, cluster);
    rival.restartOnFailure();
    rival.start(wanted);
    assertThatThrownBy(rival::finish)
        .hasStackTraceContaining("reader name \"same\" is taken by job \"holder\"");
    tap.write(3_000);
    end();
    holder.requireEveryPacketOf(tap);
    assertThat(holder.book().openedSubtasks).hasValue(LedgerJob.PARALLELISM);
    wanted.requireFreeReaderName();
  }

  /** From then on its space is nobody's, and what it missed is its loss alone. */
  @Test
  void shouldCountExactlyWhatAJobMissedWhoseLaneWasFreed() throws Exception {
    TestTap tap = tap(2, SMALL_SLOTS_LOG2);
    LedgerJob steady = job("steady");
    LedgerJob absent = job("absent");
    steady.start(source("steady").build());
    absent.start(source("absent").build());
    waitForReaders(2);
    writeToAll(3_000);
    absent.cancel();
    freeLanesOf(tap, "absent");
    writeToAll(SEVERAL_LAPS);
    absent.start(source("absent").build());
    writeToAll(3_000);
    end();
    assertThat(dropped()).isZero();
    steady.requireEveryPacketOf(tap);
    assertThat(steady.book().openedSubtasks).hasValue(LedgerJob.PARALLELISM);
    absent.requireAccountsOf(tap);
    assertThat(absent.book().lost()).isPositive();
  }

  private static void freeLanesOf(TestTap tap, String reader) {
    for (int ring = 0; ring < tap.writer().ringCount(); ring++) {
      var lanes = tap.writer().ringFile(ring).lanes();
      lanes.occupants().stream()
          .filter(occupant -> occupant.name().equals(reader))
          .forEach(occupant -> lanes.free(occupant.lane()));
    }
  }

  @Test
  void shouldCountExactlyWhatAJobMissedWhoseLaneExpired() throws Exception {
    TestTap tap = tap(2, SMALL_SLOTS_LOG2);
    LedgerJob job = job("expired");
    job.start(source("expired").build());
    waitForReaders(1);
    tap.write(3_000);
    job.cancel();
    List<Integer> freed = new ArrayList<>();
    tap.writer().limitSilence(Duration.ofMillis(200), lane -> freed.add(lane.ring()));
    tap.write(SEVERAL_LAPS);
    assertThat(freed).as("rings whose reader is gone").containsExactlyInAnyOrder(0, 1);
    tap.writer().limitSilence(LONG, lane -> freed.add(lane.ring()));
    long offeredBeforeClock = tap.offered();
    tellTheTime(tap);
    tap.write(500);
    job.start(source("expired").build());
    waitForReaders(1);
    tap.write(3_000);
    end();
    assertThat(freed).hasSize(2);
    assertThat(dropped()).isZero();
    job.requireAccountsOf(tap);
    assertThat(job.book().lost()).isBetween(1L, offeredBeforeClock);
  }

  /** It did not know that it was taken for gone: it finds out, and goes on like one that was. */
  @Test
  void shouldCountExactlyWhatALivingJobMissedWhoseLaneExpired() throws Exception {
    TestTap tap = tap(1, SMALL_SLOTS_LOG2);
    LedgerJob job = job("taken-for-gone");
    job.restartOnFailure();
    job.start(source("taken-for-gone").build());
    waitForReaders(1);
    tap.write(500);
    // Else it would begin anew, and what is gone by then came before it.
    LedgerJob.waitUntil("a checkpoint is complete", () -> hasReleased(tap));
    List<Integer> freed = new ArrayList<>();
    tap.writer().limitSilence(Duration.ofMillis(1), lane -> freed.add(lane.ring()));
    while (freed.isEmpty()) {
      tap.write(3_000);
    }
    tap.write(3_000);
    tap.writer().limitSilence(LONG, lane -> freed.add(lane.ring()));
    LedgerJob.waitUntil(
        "job restarted", () -> job.book().openedSubtasks.get() > LedgerJob.PARALLELISM);
    waitForReaders(1);
    tap.write(3_000);
    end();
    assertThat(dropped()).isZero();
    job.requireAccountsOf(tap);
    assertThat(job.book().lost()).isPositive();
  }

  private static boolean hasReleased(TestTap tap) {
    return tap.writer().ringFile(0).lanes().occupants().stream()
        .anyMatch(occupant -> occupant.releasedPosition() > 0);
  }

  @Test
  void shouldReadATapThatAppearsLaterFromItsOldestPacketAlsoWithLatest() throws Exception {
    TestTap early = tap(1, ROOMY_SLOTS_LOG2);
    TestTap late = tap(1, ROOMY_SLOTS_LOG2);
    Path hidden = scratch.resolve("hidden");
    Files.move(folder(1), hidden);
    writeToAll(5_000);
    tellTheTime(early);
    tellTheTime(late);
    LedgerJob job = job("latest");
    job.start(source("latest").startingPosition(StartingPosition.LATEST).build());
    LedgerJob.waitUntil("early tap is read", () -> hasReaders(early, 1));
    Files.move(hidden, folder(1));
    LedgerJob.waitUntil("late tap is read", () -> hasReaders(late, 1));
    writeToAll(5_000);
    end();
    assertThat(job.book().lost()).isZero();
    job.requireAccountsOf(late);
    assertThat(job.book().streams.get(early.stream(0)).packets()).isEqualTo(5_000);
  }

  /** Where LATEST begins, and a reader that has lost its place can date packets again. */
  private static void tellTheTime(TestTap tap) {
    tap.sleep(TimeUnit.SECONDS.toNanos(2));
    tap.heartbeat();
  }
}
