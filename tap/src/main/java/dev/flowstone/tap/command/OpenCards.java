// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command;

import dev.flowstone.offheap.xrt.XrtLibrary;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.tap.card.Card;
import dev.flowstone.tap.card.CardAddress;
import dev.flowstone.tap.card.CardException;
import dev.flowstone.tap.card.Emulator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The cards of a tap, opened. Whoever opened them closes them, before the JVM ends. */
final class OpenCards implements AutoCloseable {
  private static final String AMD = "amd";

  private final List<Card> cards = new ArrayList<>();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  private OpenCards() {}

  /** Opens all, or none. */
  static OpenCards open(CardOptions options) {
    OpenCards opened = new OpenCards();
    try {
      if (options.devices.stream().anyMatch(DeviceChoice.Emulated.class::isInstance)) {
        opened.openEmulated(options);
      } else {
        opened.openReal(options);
      }
      return opened;
    } catch (RuntimeException | Error e) {
      opened.close();
      throw e;
    }
  }

  private void openReal(CardOptions options) {
    Path xclbin =
        options.xclbin.orElseThrow(
            () -> new IllegalArgumentException("a card needs an xclbin: --xclbin FILE"));
    XrtLibrary library = XrtLibrary.load(options.library.orElse(XrtLibrary.AMD));
    for (DeviceChoice device : options.devices) {
      take(Card.open(library, ((DeviceChoice.Real) device).address(), xclbin));
    }
  }

  private void openEmulated(CardOptions options) {
    if (!options.devices.stream().allMatch(DeviceChoice.Emulated.class::isInstance)) {
      throw new IllegalArgumentException(
          "cards of one tap are all in the machine or all emulated: one library knows one kind");
    }
    Path folder = newFolder();
    Emulator emulator = new Emulator(Emulator.usualPrograms(), folder);
    XrtLibrary library =
        options.library.equals(Optional.of(AMD))
            ? emulator.amdLibrary().orElseThrow(OpenCards::noLowerHalf)
            : emulator.library();
    for (int number = 0; number < options.devices.size(); number++) {
      String engine = ((DeviceChoice.Emulated) options.devices.get(number)).engine();
      ChildProcess process = emulator.start(number, engine, options.emulatedOptions());
      open.push(process);
      take(
          Card.open(
              library, new CardAddress.ByNumber(number), options.xclbin.orElse(emulator.xclbin())));
    }
  }

  private static CardException noLowerHalf() {
    return new CardException(
        "AMD's library cannot be put over emulated cards: install libxrt1 and libxrt-dev (apt-get), and build the emulator again");
  }

  /** Goes when all else is closed. */
  private Path newFolder() {
    try {
      Path folder = Files.createTempDirectory("flowstone-cards-");
      open.push(() -> delete(folder));
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a folder for emulated cards", e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }

  private void take(Card card) {
    open.push(card);
    cards.add(card);
  }

  List<Card> all() {
    return cards;
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      try {
        open.pop().close();
      } catch (Exception e) {
        // The others must be closed in any case, and whoever ends has said why.
        System.err.println("warning: while the cards were closed: " + e.getMessage());
      }
    }
  }
}
