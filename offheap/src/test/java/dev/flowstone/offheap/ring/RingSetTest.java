// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.FileLock;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files of a tap, taken together. */
class RingSetTest {
  private static final int SLOTS_LOG2 = 10;

  @TempDir Path parent;

  private RingDirectory directory() {
    return new RingDirectory(parent.resolve("rings"));
  }

  private RingSetWriter create(
      int rings, int slotsLog2, WhenFull whenFull, Optional<String> group) {
    RingSpecification specification =
        new RingSpecification(rings, slotsLog2, RingClock.SYNTHETIC, 128, "test", group);
    return RingSetWriter.create(directory(), specification, whenFull);
  }

  private RingSetWriter create(int rings) {
    return create(rings, SLOTS_LOG2, WhenFull.DROP, Optional.empty());
  }

  private List<String> namesInFolder() throws IOException {
    try (Stream<Path> files = Files.list(directory().path())) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** A job takes all rings of a folder for those of one tap. */
  @Test
  void shouldRemoveRingsThatTheNewTapDoesNotHave() throws IOException {
    create(4).close();
    create(2).close();
    assertThat(namesInFolder()).containsExactly("ring-000.ring", "ring-001.ring", "tap.lock");
    try (RingFile ring = RingFile.open(directory().ringFile(1))) {
      assertThat(ring.identity().ringCount()).isEqualTo(2);
    }
  }

  @Test
  void shouldLeaveTheFormerRingsWhereTheNewOnesFindNoRoom() throws IOException {
    create(2).close();
    long incarnation;
    try (RingFile former = RingFile.open(directory().ringFile(0))) {
      incarnation = former.identity().incarnation();
    }
    assertThatThrownBy(
            () ->
                create(128, RingFileHeaderLayout.MOST_SLOTS_LOG2, WhenFull.DROP, Optional.empty()))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("no room for 128 ring files")
        .hasMessageContaining("--ring-bytes");
    assertThat(namesInFolder()).containsExactly("ring-000.ring", "ring-001.ring", "tap.lock");
    try (RingFile former = RingFile.open(directory().ringFile(0))) {
      assertThat(former.identity().incarnation()).isEqualTo(incarnation);
      assertThat(former.isReplaced()).isFalse();
    }
  }

  @Test
  void shouldClearWhatAKilledTapHadBegun() throws IOException {
    create(1).close();
    Files.createFile(directory().temporaryFile(0));
    create(1).close();
    assertThat(namesInFolder()).containsExactly("ring-000.ring", "tap.lock");
    directory().delete();
    assertThat(directory().path()).doesNotExist();
  }

  @Test
  void shouldLetGoOfAFolderThatItCannotClear() throws IOException {
    Path notOurs = directory().temporaryFile(0).resolve("kept");
    Files.createDirectories(notOurs);
    assertThatThrownBy(() -> create(1))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("cannot remove the ring files");
    Files.delete(notOurs);
    create(1).close();
  }

  /** Who asks whether there is a tap has the lock while it asks. */
  @Test
  void shouldWaitForWhoOnlyLooksForATap() throws Exception {
    create(1, SLOTS_LOG2, WhenFull.DROP, Optional.empty()).close();
    FileLock looking = FileLock.tryTake(directory().lockFile()).orElseThrow();
    Thread looker =
        Thread.ofPlatform()
            .start(
                () -> {
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                  looking.close();
                });
    create(1, SLOTS_LOG2, WhenFull.DROP, Optional.empty()).close();
    looker.join();
  }

  /** As that of another user of the group. A program that runs may be written by nobody at all. */
  @Test
  void shouldTakeALockThatItMayOnlyRead() throws Exception {
    Path lock = directory().lockFile();
    Files.createDirectories(directory().path());
    Process running = sleepAs(lock);
    try {
      assumeTrue(
          isBusy(lock), "SKIPPED: this kernel lets programs be written that run, or sleep is none");
      create(1).close();
      assertThat(directory().ringFiles()).hasSize(1);
    } finally {
      running.destroyForcibly().waitFor();
    }
  }

  /** Called by its own name, for the program may be many, and that name says which. */
  private Process sleepAs(Path copy) {
    try {
      Files.copy(Path.of("/bin/sleep"), copy, StandardCopyOption.COPY_ATTRIBUTES);
      Path name = Files.createSymbolicLink(parent.resolve("sleep"), copy);
      return new ProcessBuilder(name.toString(), "60").start();
    } catch (IOException e) {
      return abort("SKIPPED: no copy of /bin/sleep runs here, as on a noexec disk: " + e);
    }
  }

  private static boolean isBusy(Path program) throws IOException {
    try {
      Files.newOutputStream(program, StandardOpenOption.WRITE).close();
      return false;
    } catch (FileSystemException busy) {
      return true;
    }
  }

  @Test
  void shouldTellWhenItsFileWasReplaced() {
    create(1).close();
    try (RingFile former = RingFile.open(directory().ringFile(0))) {
      assertThat(former.isReplaced()).isFalse();
      create(1).close();
      assertThat(former.isReplaced()).isTrue();
      directory().delete();
      assertThat(former.isReplaced()).isTrue();
    }
  }

  @Test
  void shouldBeTheOwnersAlone() throws IOException {
    create(1).close();
    assertThat(permissions(directory().path())).isEqualTo("rwx------");
    assertThat(permissions(directory().ringFile(0))).isEqualTo("rw-------");
  }

  /** Whoever reads the rings must list the folder, too. */
  @Test
  void shouldOpenFolderAndFilesToAGroup() throws IOException {
    Optional<String> group = Optional.of(ownGroup());
    create(1, SLOTS_LOG2, WhenFull.DROP, group).close();
    assertThat(permissions(directory().path())).isEqualTo("rwxr-x---");
    assertThat(permissions(directory().ringFile(0))).isEqualTo("rw-rw----");
    assertThat(permissions(directory().lockFile())).isEqualTo("rw-r-----");
    create(1, SLOTS_LOG2, WhenFull.DROP, group).close();
    create(1).close();
    assertThat(permissions(directory().ringFile(0))).isEqualTo("rw-------");
  }

  @Test
  void shouldSayHowToOpenAFolderThatWasThere() throws IOException {
    create(1).close();
    String group = ownGroup();
    assertThatThrownBy(() -> create(1, SLOTS_LOG2, WhenFull.DROP, Optional.of(group)))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("chgrp " + group);
    assertThat(permissions(directory().path())).isEqualTo("rwx------");
  }

  /** A folder such as /tmp, where a second tap finds the first one's lock. */
  @Test
  void shouldNeverChangeTheRightsOfAFolderThatWasThere() throws IOException {
    Set<PosixFilePermission> theirs = PosixFilePermissions.fromString("rwxr-xr-x");
    Files.createDirectory(directory().path());
    Files.setPosixFilePermissions(directory().path(), theirs);
    create(1).close();
    create(1).close();
    create(1, SLOTS_LOG2, WhenFull.DROP, Optional.of(ownGroup())).close();
    assertThat(Files.getPosixFilePermissions(directory().path())).isEqualTo(theirs);
  }

  private String ownGroup() throws IOException {
    return Files.readAttributes(parent, PosixFileAttributes.class).group().getName();
  }

  @Test
  void shouldKnowTheGroupBeforeItMakesAnything() {
    assertThatThrownBy(
            () -> create(1, SLOTS_LOG2, WhenFull.DROP, Optional.of("no-such-group-here")))
        .hasMessage("there is no group no-such-group-here");
    assertThat(directory().path()).doesNotExist();
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  /** A tap that waits for a reader that died must still come to its end, its books closed. */
  @Test
  @Timeout(value = 30, unit = TimeUnit.SECONDS)
  void shouldDropWhatWaitedTooLong() {
    int packets = 3 << SLOTS_LOG2; // three times what the ring holds
    try (Arena arena = Arena.ofConfined();
        RingSetWriter writer = create(1, SLOTS_LOG2, WhenFull.WAIT, Optional.empty());
        RingFile file = RingFile.open(directory().ringFile(0));
        GatingReader dead = new GatingReader(file, "dead", RingStart.OLDEST)) {
      RecordBatch batch = new RecordBatch(arena);
      batch.fill(packets, 1_700_000_000_000_000_000L, 1);
      writer.limitWaiting(Duration.ofMillis(200));
      batch.writeTo(writer);
      writer.end();
      RingCounters counters = file.counters();
      assertThat(counters.droppedPackets()).isPositive();
      assertThat(counters.writtenPackets() + counters.droppedPackets()).isEqualTo(packets);
      assertThat(counters.offeredPackets()).isEqualTo(packets);
      assertThat(file.isEnded()).isTrue();
      assertThat(dead.lost().inRing()).isZero();
    }
  }
}
