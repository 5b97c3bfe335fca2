// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.util.List;

/** The ring files of one server: as long as nobody gives space back, they take all that comes. */
record Rings(Site site, Work work, FlowState state) {
  private static final int SLOT_BYTES = 64;
  private static final double LEAST_BYTES = 64 << 10;

  /** A tap that starts again makes all its rings before those that were there go. */
  private static final int TIMES = 2;

  /** For how long they must hold what comes. */
  double holdSeconds() {
    double checkpoint = site.operation().intervalSeconds() + state.checkpointSeconds();
    double restart = site.operation().restartSeconds();
    return switch (site.operation().release()) {
      case ON_CHECKPOINT -> 2 * checkpoint + restart;
      case OBSERVING -> checkpoint + restart;
      case ON_READ -> restart;
    };
  }

  private String how() {
    String checkpoint =
        "(interval %s + duration %s)"
            .formatted(
                Unit.SECONDS.of(site.operation().intervalSeconds()),
                Unit.SECONDS.of(state.checkpointSeconds()));
    String restart = Unit.SECONDS.of(site.operation().restartSeconds());
    return switch (site.operation().release()) {
      case ON_CHECKPOINT ->
          "2 x %s + restart %s: from a checkpoint to the first after a restart"
              .formatted(checkpoint, restart);
      case OBSERVING ->
          "%s + restart %s: older packets are written over".formatted(checkpoint, restart);
      case ON_READ -> "restart %s; what was in flight is lost with it".formatted(restart);
    };
  }

  int count() {
    return work.subtasks();
  }

  double bytes() {
    return SLOT_BYTES * site.traffic().packetsPerSecond() * holdSeconds();
  }

  /** Of one ring, for its --ring-bytes; the tap makes a power of two of any size. */
  double bytesToMake() {
    double each = Math.max(bytes() / count(), LEAST_BYTES);
    return Math.pow(2, Math.ceil(Math.log(each) / Math.log(2)));
  }

  double fileBytes() {
    return RingFileHeaderLayout.HEADER_BYTES + bytesToMake();
  }

  /** What there must be room for, in /dev/shm and in memory. */
  double roomBytes() {
    return TIMES * count() * fileBytes();
  }

  Group group() {
    double lasts = count() * bytesToMake() / SLOT_BYTES / site.traffic().packetsPerSecond();
    return new Group(
        "rings",
        List.of(
            Amount.ofEach("hold for", holdSeconds(), Unit.SECONDS, how()),
            amount(
                "bytes",
                bytes(),
                "%d x %s x %s"
                    .formatted(
                        SLOT_BYTES,
                        Unit.PACKETS_PER_SECOND.of(site.traffic().packetsPerSecond()),
                        Unit.SECONDS.of(holdSeconds()))),
            amount(
                "files",
                count() * fileBytes(),
                "%d x (%s + header %s): a ring for each subtask, a power of two; lasts %s"
                    .formatted(
                        count(),
                        Unit.MEMORY.of(bytesToMake()),
                        Unit.MEMORY.of(RingFileHeaderLayout.HEADER_BYTES),
                        Unit.SECONDS.of(lasts))),
            amount(
                "room in /dev/shm",
                roomBytes(),
                "%d x files: a tap that starts again makes its rings beside the old ones"
                    .formatted(TIMES))));
  }

  private Amount amount(String name, double bytes, String how) {
    return Amount.ofServers(name, bytes, site.servers(), Unit.MEMORY, how);
  }
}
