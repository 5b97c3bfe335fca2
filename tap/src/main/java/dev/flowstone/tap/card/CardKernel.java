// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What all kernels of the card have in common: what they are, and how they are stopped. */
class CardKernel {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final String name;
  private final KernelLayout layout;
  private final Registers registers;

  /** Throws unless the kernel is what this program knows. */
  CardKernel(String name, KernelLayout layout, Registers registers) {
    this.name = name;
    this.layout = layout;
    this.registers = registers;
    requireMagic();
    requireVersion();
  }

  String name() {
    return name;
  }

  Registers registers() {
    return registers;
  }

  private void requireMagic() {
    int found = registers.read(layout.magicOffset);
    if (found != layout.magic) {
      throw new CardException(
          "%s: magic 0x%08x in place of 0x%08x: the xclbin is not Flowstone's, or the card does not answer"
              .formatted(name, found, layout.magic));
    }
  }

  private void requireVersion() {
    int found = registers.read(layout.versionOffset);
    if (found != layout.version) {
      throw new CardException(
          "%s: its registers are of version %d, and this program knows version %d: use the xclbin of the same release"
              .formatted(name, found, layout.version));
    }
  }

  /** A bus that is dead answers with ones, which would be counters. */
  void requireAnswer() {
    requireMagic();
  }

  /** Which sources it was made of, as its maker numbered them. */
  int build() {
    return registers.read(layout.buildOffset);
  }

  /**
   * Whether it does not run. Not while a run of this process is under way: reading the register
   * clears the bit by which XRT sees that run's end.
   */
  boolean isIdle() {
    return (registers.read(layout.controlOffset) & layout.idleBit) != 0;
  }

  void askToStop() {
    registers.write(layout.stopOffset, 1);
  }

  /**
   * Waits until it runs; false: it does not after that time. Right after a start alone: it has no
   * end yet that the look could hide.
   *
   * @param limit may change while this waits
   */
  boolean awaitRunning(Supplier<Duration> limit) {
    return await(() -> !isIdle(), limit);
  }

  /** Waits until it is idle; false: it goes on after that time. */
  boolean awaitIdle(Duration limit) {
    return await(this::isIdle, () -> limit);
  }

  private static boolean await(BooleanSupplier condition, Supplier<Duration> limit) {
    long beganNs = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - beganNs > limit.get().toNanos()) {
        return false;
      }
      LockSupport.parkNanos(LOOK_NS);
    }
    return true;
  }
}
