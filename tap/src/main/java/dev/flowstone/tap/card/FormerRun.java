// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.offheap.ring.RingCounters;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a tap left behind that was killed: a card at work, or one that it had just stopped, and ring
 * files that say how much of it came that far. The card's counters say the rest. That is exact,
 * because a start of the kernels and the ring files' incarnation begin together.
 */
final class FormerRun {
  private final Card card;
  private final CardLimits limits;
  private final Consumer<String> say;

  FormerRun(Card card, CardLimits limits, Consumer<String> say) {
    this.card = card;
    this.limits = limits;
    this.say = say;
  }

  /** Stops the card if it is at work, and says how many packets of that run nobody has told of. */
  long end(RingDirectory directory) {
    List<RingCounters> files = openFiles(directory);
    boolean isRunning = card.isRunning();
    if (isRunning) {
      card.stopFormer(limits.stop());
    } else if (files.stream().noneMatch(file -> file.offeredPackets() > 0)) {
      // Stopped in order, or not started by a tap whose rings are here.
      return 0;
    }
    long came =
        came(
            card.ports().stream().map(CardPort::counters).toList(),
            card.kernelOfRings().metPackets());
    long known =
        files.stream().mapToLong(file -> file.offeredPackets() + file.lostBeforeTap()).sum();
    if (files.size() != card.kernelOfRings().ringCount()) {
      if (isRunning) {
        say.accept(
            "%s: it was still at work for a tap whose open rings are not in %s: %,d packets of that run, of which these rings tell nothing"
                .formatted(card.name(), directory.path(), came));
      }
      return 0;
    }
    if (known > came) {
      say.accept(
          "%s: the rings in %s tell of %,d packets, and the card of %,d: it was reset, or gave some twice; how many are missing is not known"
              .formatted(card.name(), directory.path(), known, came));
      return 0;
    }
    say.accept(
        "%s: a tap that was killed had left it %s: %,d packets came that are in no ring, and count as lost"
            .formatted(card.name(), isRunning ? "at work" : "stopped", came - known));
    return came - known;
  }

  /**
   * Rings are started before ports, and each start begins its kernel's counters anew: what ports
   * have sent and no ring has met is from the run before, of a tap that was killed between the two.
   * Then what met the rings is all that came.
   */
  static long came(List<PortCounters> ports, long metPackets) {
    long sent = ports.stream().mapToLong(PortCounters::sentPackets).sum();
    return sent > metPackets
        ? metPackets
        : ports.stream().mapToLong(port -> port.receivedPackets() - port.filteredPackets()).sum();
  }

  /** Those of a tap that did not come to its end. */
  private List<RingCounters> openFiles(RingDirectory directory) {
    List<RingCounters> counters = new ArrayList<>();
    for (int ring = 0; ring < CardRingRegistersLayout.MOST_RINGS; ring++) {
      try (RingFile file = RingFile.open(directory.ringFile(ring))) {
        if (!file.isEnded() && file.identity().tapName().equals(card.name())) {
          counters.add(file.counters());
        }
      } catch (RingFileException notThere) {
        return counters;
      }
    }
    return counters;
  }
}
