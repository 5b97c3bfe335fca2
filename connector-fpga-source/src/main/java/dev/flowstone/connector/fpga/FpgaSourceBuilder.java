// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.offheap.ring.ReaderName;
import dev.flowstone.offheap.ring.RingReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Gathers the options of a {@link FpgaSource}; only the ring folder has no default. */
public final class FpgaSourceBuilder {
  /** Less is no silence yet of a reader that shows life each second. */
  public static final Duration SHORTEST_EXPIRY = Duration.ofSeconds(5);

  public static final Duration LONGEST_EXPIRY = Duration.ofDays(365);

  private final List<String> ringDirectories = new ArrayList<>();
  private final List<String> hosts = new ArrayList<>();
  private String readerName = "flowstone";
  private Duration laneExpiry = RingReader.USUAL_EXPIRY;
  private EndingPosition endingPosition = EndingPosition.NEVER;
  private StartingPosition startingPosition = StartingPosition.OLDEST;
  private ReleaseMode releaseMode = ReleaseMode.ON_CHECKPOINT;
  private int blockRecords = 1024;
  private int minimumBlockRecords = 1;
  private Duration maximumBlockWait = Duration.ZERO;
  private Duration outOfOrderness = Duration.ofMillis(100);
  private Duration discoveryInterval = Duration.ofSeconds(1);
  private Duration idleTimeout = Duration.ofSeconds(10);
  private boolean verifyKeyGroups = true;
  private boolean requireOwnKeyGroups;

  FpgaSourceBuilder() {}

  /** A folder that a tap fills, the same on every TaskManager's host; may be called repeatedly. */
  public FpgaSourceBuilder ringDirectory(Path directory) {
    ringDirectories.add(directory.toAbsolutePath().normalize().toString());
    return this;
  }

  /**
   * The name under which rings know this job, up to 39 bytes without #; default "flowstone". A
   * restarted job must keep it: it goes on in its rings. Two jobs on the same rings must differ:
   * while one is at work, the other is refused.
   */
  public FpgaSourceBuilder readerName(String name) {
    requireRoomBesideAJob(name);
    readerName = name;
    return this;
  }

  /**
   * Silence of this job after which a tap may take it for gone for good, and its rings' space;
   * default 10 minutes, at least 5 seconds. The source shows life each second while a TaskManager
   * runs it, also when nothing moves. Longer: more time to restart the job; shorter: a job that was
   * cancelled for good starves the others for less long. Taps may allow less.
   */
  public FpgaSourceBuilder laneExpiry(Duration silence) {
    if (silence.compareTo(SHORTEST_EXPIRY) < 0 || silence.compareTo(LONGEST_EXPIRY) > 0) {
      throw new IllegalArgumentException(
          "lane expiry must be " + SHORTEST_EXPIRY + " to " + LONGEST_EXPIRY + ": " + silence);
    }
    laneExpiry = silence;
    return this;
  }

  /**
   * The source ends when, on each host, all rings of the folders' taps said that nothing more will
   * come; rings not there yet are waited for. Default: it never ends, and follows a tap that is
   * started again.
   */
  public FpgaSourceBuilder bounded() {
    return endingPosition(EndingPosition.END_OF_TAP);
  }

  /**
   * Where rings end; default {@link EndingPosition#NEVER}. With {@link EndingPosition#LATEST} the
   * source waits for folders without rings, may read a few packets that arrive meanwhile, and after
   * a failure reads up to the packets that are there then.
   */
  public FpgaSourceBuilder endingPosition(EndingPosition position) {
    endingPosition = Objects.requireNonNull(position, "position");
    return this;
  }

  /**
   * The hosts whose taps a bounded source waits for; may be called repeatedly. Default: each host
   * that a subtask of the source runs on. Name them where subtasks may run on hosts without a tap,
   * or where a host must not be forgotten.
   */
  public FpgaSourceBuilder host(String name) {
    hosts.add(Objects.requireNonNull(name, "name"));
    return this;
  }

  /** Where a ring begins that no checkpoint knows; default {@link StartingPosition#OLDEST}. */
  public FpgaSourceBuilder startingPosition(StartingPosition position) {
    startingPosition = Objects.requireNonNull(position, "position");
    return this;
  }

  /** When ring space is given back; default {@link ReleaseMode#ON_CHECKPOINT}. */
  public FpgaSourceBuilder release(ReleaseMode mode) {
    releaseMode = Objects.requireNonNull(mode, "mode");
    return this;
  }

  /**
   * Most packets of a block, 1 to 65535, as a message can hold, default 1024. More: less cost per
   * packet, larger messages, longer work between two checkpoint barriers.
   */
  public FpgaSourceBuilder blockRecords(int records) {
    requireRecords("block records", records);
    blockRecords = records;
    return this;
  }

  /**
   * Waits for that many packets before it makes a block, but never longer than {@code maximumWait}:
   * fewer and larger messages at low rates, at the price of latency. Default: no waiting. A block
   * may still be smaller where the ring's memory wraps or its clock was told.
   */
  public FpgaSourceBuilder minimumBlock(int records, Duration maximumWait) {
    requireRecords("minimum block records", records);
    minimumBlockRecords = records;
    maximumBlockWait = requireNotNegative("maximum wait", maximumWait);
    return this;
  }

  /**
   * How far the watermark stays behind the ring's clock; default 100 ms. More: later packets are
   * still in time, windows close later.
   */
  public FpgaSourceBuilder outOfOrderness(Duration duration) {
    outOfOrderness = requireNotNegative("out-of-orderness", duration);
    return this;
  }

  /** Time between two looks at the folders for new rings; default 1 s. */
  public FpgaSourceBuilder discoveryInterval(Duration interval) {
    discoveryInterval = requireNotNegative("discovery interval", interval);
    return this;
  }

  /**
   * After that long (host's clock) without packet or clock record from a ring, watermarks do not
   * wait for it; default 10 s. A tap at work tells the time each second. A bounded source waits for
   * silent rings all the same, so that its windows miss nothing.
   */
  public FpgaSourceBuilder idleTimeout(Duration timeout) {
    idleTimeout = requireNotNegative("idle timeout", timeout);
    return this;
  }

  /**
   * Whether the first packet of each block is checked to be in the ring where Flink's key groups
   * want it; default yes. Strays are counted (keyGroupMismatches), not dropped; where operators by
   * flow are chained to the source, the job fails.
   */
  public FpgaSourceBuilder verifyKeyGroups(boolean verify) {
    verifyKeyGroups = verify;
    return this;
  }

  /**
   * Whether each subtask must get the rings of its own key groups and no others, as operators by
   * flow need that are chained to the source; if not, the job fails and says why. Default no. See
   * {@link FlowExchange}, which sets it.
   */
  FpgaSourceBuilder requireOwnKeyGroups(boolean require) {
    requireOwnKeyGroups = require;
    return this;
  }

  List<String> ringDirectories() {
    return List.copyOf(ringDirectories);
  }

  public FpgaSource build() {
    if (ringDirectories.isEmpty()) {
      throw new IllegalArgumentException(
          "no ring folder: call ringDirectory with the folder that ./flowstone tap fills");
    }
    if (minimumBlockRecords > blockRecords) {
      throw new IllegalArgumentException(
          "minimum block records " + minimumBlockRecords + " exceed block records " + blockRecords);
    }
    return new FpgaSource(
        new FpgaSourceOptions(
            ringDirectories,
            hosts,
            readerName,
            laneExpiry,
            endingPosition,
            startingPosition,
            releaseMode,
            blockRecords,
            minimumBlockRecords,
            maximumBlockWait,
            outOfOrderness,
            discoveryInterval,
            idleTimeout,
            verifyKeyGroups,
            requireOwnKeyGroups));
  }

  private static void requireRoomBesideAJob(String name) {
    ReaderName.ofJob(name, new ReaderName.Job("00000000", ""));
  }

  private static void requireRecords(String what, int records) {
    if (records < 1 || records > PacketBlock.MOST_RECORDS) {
      throw new IllegalArgumentException(
          what + " must be 1 to " + PacketBlock.MOST_RECORDS + ": " + records);
    }
  }

  private static Duration requireNotNegative(String what, Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(what + " must not be negative: " + duration);
    }
    return duration;
  }
}
