// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Takes essential steps out of the ring protocol, to see that the jcstress cases notice. */
class ChangedProtocolTest {
  private static final Path SOURCES = Path.of("offheap/src/main/java/dev/flowstone/offheap/ring");

  private static final String CLASSES = "changed";

  /** Two threads must meet in a moment, which on a busy machine they may not do in a first run. */
  private static final int MOST_RUNS = 8;

  /** A step, what stands there without it, and the case that must show a forbidden outcome. */
  enum Change {
    SECOND_LOOK_AT_THE_LANES(
        "RingReservation",
        "return allowedNow < reserved ? announce(position, allowedNow) : reserved;",
        "return reserved;",
        "OverrunStress"),
    STORE_LOAD_FENCE("RingHeader", "VarHandle.fullFence();", "", "AnnouncementStress"),
    OBSERVERS_QUESTION(
        "RingWindow",
        "return stands(position, words.reservedPosition());",
        "return stands(position, words.positionAcquire());",
        "ObserverCopyStress"),
    /** On x86-64 no case shows it: loads keep their order there. */
    COPY_BEFORE_THE_QUESTION(
        "RingWindow",
        "VarHandle.loadLoadFence();\n    return stands(position",
        "return stands(position",
        "ObserverCopyStress"),
    LAP_CHECK(
        "ControlIndex",
        "if (words.controlCountAcquire() - ordinal >= ENTRIES)",
        "if (ordinal < 0)",
        "ControlLapStress"),
    ONE_AT_A_TIME("RingLanes", "try (ClaimTurn.Turn _ = turn.await()) {", "{", "RivalClaimStress"),
    OWN_LANE_FIRST(
        "RingLanes",
        "writeOwner(lane, owner);",
        "namesakes.forEach(namesake -> free(namesake.lane())); writeOwner(lane, owner);",
        "InheritedLaneStress"),
    SIGN_OF_LIFE_BEFORE_THE_CLAIM(
        "RingLanes",
        "writeOwner(lane, owner);\n      RingLane claimed =",
        "RingLane claimed =",
        "AbandonedLaneStress");

    private final String className;
    private final String step;
    private final String replacement;
    private final String noticedBy;

    Change(String className, String step, String replacement, String noticedBy) {
      this.className = className;
      this.step = step;
      this.replacement = replacement;
      this.noticedBy = noticedBy;
    }

    boolean isNoticedIn(String said) {
      return Pattern.compile("\\." + noticedBy + " \\[.*\\]: Observed forbidden state")
          .matcher(said)
          .find();
    }
  }

  @TempDir private Path folder;

  /** Also those whose cases run only now and then. */
  @ParameterizedTest
  @EnumSource
  void shouldFindTheStepWhereItStands(Change change) throws IOException {
    read(source(change), change);
  }

  /** None of these shows in another one's case, so one run tells of all. */
  @Test
  @Tag("slow")
  void shouldNoticeEachMissingStep() throws Exception {
    requireNoticed(
        Change.SECOND_LOOK_AT_THE_LANES,
        Change.LAP_CHECK,
        Change.ONE_AT_A_TIME,
        Change.OWN_LANE_FIRST,
        Change.SIGN_OF_LIFE_BEFORE_THE_CLAIM);
  }

  /** Could show in the case of the second look. x86-64 too lets a load pass the store before it. */
  @Test
  void shouldNoticeLanesThatAreReadBeforeTheAnnouncementIsSeen() throws Exception {
    requireNoticed(Change.STORE_LOAD_FENCE);
  }

  /** This one shows in the other cases too. */
  @Test
  @Tag("slow")
  void shouldNoticeAnObserverThatAsksTooLittle() throws Exception {
    requireNoticed(Change.OBSERVERS_QUESTION);
  }

  private void requireNoticed(Change... changes) throws Exception {
    for (Change change : changes) {
      compile(change);
    }
    List<Change> unnoticed = List.of(changes);
    for (int run = 0; run < MOST_RUNS && !unnoticed.isEmpty(); run++) {
      String said = run(unnoticed);
      unnoticed = unnoticed.stream().filter(change -> !change.isNoticedIn(said)).toList();
    }
    assertThat(unnoticed).as("steps taken out that no case noticed").isEmpty();
  }

  private String run(List<Change> changes) throws Exception {
    List<String> options = new ArrayList<>(JcstressRun.QUICK);
    String cases =
        changes.stream().map(change -> change.noticedBy).collect(Collectors.joining("|"));
    options.addAll(List.of("-t", cases));
    return JcstressRun.run(folder, List.of(folder.resolve(CLASSES)), 120, options);
  }

  private void compile(Change change) throws IOException {
    Path classes = Files.createDirectories(folder.resolve(CLASSES));
    Path original = source(change);
    Path changed = classes.resolve(original.getFileName());
    String text = read(Files.exists(changed) ? changed : original, change);
    Files.writeString(changed, text.replace(change.step, change.replacement));
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                changed.toString());
    assertThat(status).as("compiling the changed %s", original).isZero();
  }

  private static Path source(Change change) {
    return root().resolve(SOURCES).resolve(change.className + ".java");
  }

  private static String read(Path source, Change change) throws IOException {
    String text = Files.readString(source);
    assertThat(text).as("the step in %s", source).containsOnlyOnce(change.step);
    return text;
  }

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    return folder;
  }
}
