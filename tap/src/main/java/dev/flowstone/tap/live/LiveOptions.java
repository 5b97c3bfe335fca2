// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import java.time.Duration;
import java.util.Optional;

/**
 * What to listen to.
 *
 * @param interfaceName the network interface
 * @param blocks blocks of {@link #BLOCK_BYTES} that the kernel may fill while the tap is busy: more
 *     survive a longer pause and take more memory
 * @param retire after which time a block is handed over though it is not full; shorter is less
 *     delay and more work
 * @param promiscuous whether to take frames for other stations, too
 * @param waitForInterface whether to wait for an interface that is not there, or no more
 * @param timestamps whose clock the packets' times are of
 * @param filter which packets; empty: all
 */
public record LiveOptions(
    String interfaceName,
    int blocks,
    Duration retire,
    boolean promiscuous,
    boolean waitForInterface,
    Timestamps timestamps,
    Optional<CaptureFilter> filter) {
  public static final int BLOCK_BYTES = 1 << 20;
  public static final int DEFAULT_BLOCKS = 64;
  public static final int MAX_BLOCKS = 2047;
  public static final Duration DEFAULT_RETIRE = Duration.ofMillis(10);

  /** Who stamps packets. */
  public enum Timestamps {
    /** The kernel, by the host's clock. */
    SOFTWARE,
    /** The card, by its own clock, which nobody may have set. */
    HARDWARE
  }

  public LiveOptions {
    if (interfaceName.isBlank()) {
      throw new IllegalArgumentException("live capture needs the name of an interface");
    }
    if (blocks < 2 || blocks > MAX_BLOCKS) {
      throw new IllegalArgumentException(
          "live capture takes from 2 to " + MAX_BLOCKS + " blocks of 1 MiB: blocks=" + blocks);
    }
    if (retire.toMillis() < 1 || retire.toMillis() > 1000) {
      throw new IllegalArgumentException(
          "blocks must be handed over after 1 ms to 1 s: retire=" + retire);
    }
  }

  public static LiveOptions of(String interfaceName) {
    return new LiveOptions(
        interfaceName,
        DEFAULT_BLOCKS,
        DEFAULT_RETIRE,
        true,
        false,
        Timestamps.SOFTWARE,
        Optional.empty());
  }

  public LiveOptions withBuffer(int newBlocks, Duration newRetire) {
    return new LiveOptions(
        interfaceName, newBlocks, newRetire, promiscuous, waitForInterface, timestamps, filter);
  }

  public LiveOptions withPromiscuous(boolean newPromiscuous) {
    return new LiveOptions(
        interfaceName, blocks, retire, newPromiscuous, waitForInterface, timestamps, filter);
  }

  public LiveOptions withWaitForInterface(boolean newWaitForInterface) {
    return new LiveOptions(
        interfaceName, blocks, retire, promiscuous, newWaitForInterface, timestamps, filter);
  }

  public LiveOptions withTimestamps(Timestamps newTimestamps) {
    return new LiveOptions(
        interfaceName, blocks, retire, promiscuous, waitForInterface, newTimestamps, filter);
  }

  public LiveOptions withFilter(Optional<CaptureFilter> newFilter) {
    return new LiveOptions(
        interfaceName, blocks, retire, promiscuous, waitForInterface, timestamps, newFilter);
  }
}
