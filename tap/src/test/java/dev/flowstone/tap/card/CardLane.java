// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.xrt.XrtLibrary;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What stands between the tests of a card and the card: a library, and what is below it. */
enum CardLane {
  /** Flowstone's library over an emulated card. */
  FLOWSTONE,
  /** AMD's library over an emulated card. */
  AMD,
  /** AMD's library over a card in this machine, if somebody named its xclbin. */
  CARD;

  private static final String XCLBIN = "FLOWSTONE_XCLBIN";
  private static final String DEVICE = "FLOWSTONE_DEVICE";

  /**
   * An open way to a card; whoever opens it closes it.
   *
   * @param process the card, if it is emulated
   */
  record Way(XrtLibrary library, CardAddress address, Path xclbin, Optional<ChildProcess> process)
      implements AutoCloseable {
    @Override
    public void close() {
      process.ifPresent(ChildProcess::close);
    }
  }

  /**
   * @param cards folder for emulated cards
   * @param options of an emulated card
   */
  Way open(Path cards, List<String> options) throws IOException, InterruptedException {
    if (this == CARD) {
      return openCard();
    }
    Emulator emulator = new Emulator(BuiltEmulator.programs(), cards);
    return new Way(
        library(emulator),
        new CardAddress.ByNumber(0),
        emulator.xclbin(),
        Optional.of(emulator.start(0, "model", options)));
  }

  /** The library of this lane over emulated cards; skips the test where it is not there. */
  XrtLibrary library(Emulator emulator) {
    return switch (this) {
      case FLOWSTONE -> emulator.library();
      case AMD -> {
        requireNoCard();
        yield emulator.amdLibrary().orElseThrow(CardLane::noAmd);
      }
      case CARD -> throw new IllegalArgumentException("a card is not emulated");
    };
  }

  /** A process has AMD's library once, over the driver or over what stands for it. */
  private static void requireNoCard() {
    if (System.getenv(XCLBIN) != null) {
      throw BuiltEmulator.skipped(
          XCLBIN
              + " is set, so AMD's library was tried on that card and not over emulated ones; both need a run each");
    }
  }

  private static RuntimeException noAmd() {
    return BuiltEmulator.skipped(
        "libxrt1 and libxrt-dev are not installed, so nothing was tried with AMD's library");
  }

  /**
   * What {@code --xrt} takes for this lane, in a process of its own; skips the test as {@link
   * #library} does.
   */
  String libraryOption(Path programs) {
    return switch (this) {
      case FLOWSTONE -> programs.resolve("libflowstone_xrt.so").toString();
      case AMD -> {
        if (!Files.isDirectory(programs.resolve("xrt"))) {
          throw noAmd();
        }
        yield "amd";
      }
      case CARD -> throw new IllegalArgumentException("a card is not emulated");
    };
  }

  private static Way openCard() {
    String xclbin = System.getenv(XCLBIN);
    if (xclbin == null) {
      throw BuiltEmulator.skipped(XCLBIN + " is not set, so nothing was tried on a card");
    }
    if (!Path.of(xclbin).isAbsolute()) {
      throw new IllegalStateException(
          XCLBIN
              + " is "
              + xclbin
              + ": name it from the root on, for tests run in a folder of theirs");
    }
    String device = System.getenv().getOrDefault(DEVICE, "0");
    return new Way(
        XrtLibrary.load(XrtLibrary.AMD),
        CardAddress.parse(device),
        Path.of(xclbin),
        Optional.empty());
  }
}
