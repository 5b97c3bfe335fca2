// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.xrt.XrtLibrary;
import dev.flowstone.tap.card.Card;
import dev.flowstone.tap.card.CardAddress;
import dev.flowstone.tap.card.CardException;
import dev.flowstone.tap.card.CardFrames;
import dev.flowstone.tap.card.Emulator;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The cards of a tap, opened. Whoever opened them closes them, before the JVM ends. */
final class OpenCards implements AutoCloseable {
  private static final String AMD = "amd";

  private final List<Card> cards = new ArrayList<>();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final Map<String, RuntimeException> shut = new LinkedHashMap<>();
  private Optional<EmulatedCards> emulatedCards = Optional.empty();

  private OpenCards() {}

  /** Opens all that can be opened; throws where none can. */
  static OpenCards open(CardOptions options) {
    OpenCards opened = new OpenCards();
    try {
      if (options.devices.stream().anyMatch(DeviceChoice.Emulated.class::isInstance)) {
        opened.openEmulated(options);
      } else {
        opened.openReal(options);
      }
      opened.requireAny();
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
    CardFrames frames = frames(options);
    XrtLibrary library = XrtLibrary.load(options.library.orElse(XrtLibrary.AMD));
    for (DeviceChoice device : options.devices) {
      CardAddress address = ((DeviceChoice.Real) device).address();
      take(address, () -> Card.open(library, address, xclbin, frames));
    }
  }

  private static CardFrames frames(CardOptions options) {
    CardFrames frames = options.frames();
    frames.captures().stream()
        .flatMap(capture -> capture.notes().stream())
        .forEach(note -> CardCommand.say("warning: what is no frame is not sent: " + note));
    return frames;
  }

  /** One that cannot be opened keeps no other from its work. */
  private void take(CardAddress address, Supplier<Card> opening) {
    try {
      Card card = opening.get();
      open.push(card);
      cards.add(card);
    } catch (CardException | NativeCallException | UncheckedIOException e) {
      shut.put("card " + address, e);
    }
  }

  private void requireAny() {
    if (cards.isEmpty()) {
      throw shut.values().iterator().next();
    }
  }

  private void openEmulated(CardOptions options) {
    if (!options.devices.stream().allMatch(DeviceChoice.Emulated.class::isInstance)) {
      throw new IllegalArgumentException(
          "cards of one tap are all in the machine or all emulated: one library knows one kind");
    }
    CardFrames frames = options.areCableless() ? frames(options) : CardFrames.NONE;
    EmulatedCards emulated = new EmulatedCards(options.folder);
    emulatedCards = Optional.of(emulated);
    open.push(emulated);
    Emulator emulator = emulated.emulator();
    Path usual = options.areCableless() ? emulator.cablelessXclbin() : emulator.xclbin();
    XrtLibrary library =
        options.library.equals(Optional.of(AMD))
            ? emulator.amdLibrary().orElseThrow(OpenCards::noLowerHalf)
            : emulator.library();
    Path xclbin = options.xclbin.orElse(usual);
    for (int number = 0; number < options.devices.size(); number++) {
      DeviceChoice.Emulated device = (DeviceChoice.Emulated) options.devices.get(number);
      CardAddress.ByNumber address = new CardAddress.ByNumber(number);
      take(
          address,
          () -> {
            emulated.start(address.number(), device, options);
            return openStarted(emulated, library, address, xclbin, frames);
          });
    }
  }

  /** One that is started in vain is ended: nobody would take its frames. */
  private static Card openStarted(
      EmulatedCards emulated,
      XrtLibrary library,
      CardAddress.ByNumber address,
      Path xclbin,
      CardFrames frames) {
    try {
      return Card.open(library, address, xclbin, frames);
    } catch (RuntimeException | Error e) {
      emulated.giveUp(address.number());
      throw e;
    }
  }

  private static CardException noLowerHalf() {
    return new CardException(
        "AMD's library cannot be put over emulated cards: install libxrt1 and libxrt-dev (apt-get), and build the emulator again");
  }

  List<Card> all() {
    return cards;
  }

  /** Those that could not be opened, and why. */
  Map<String, RuntimeException> shut() {
    return shut;
  }

  /** Throws why one could not be opened, if one could not. */
  void requireAll() {
    shut.values().stream()
        .findFirst()
        .ifPresent(
            why -> {
              throw why;
            });
  }

  /** What is done when this process sends the first frame; false: it sends none. */
  boolean whenFramesBegin(Runnable action) {
    return emulatedCards.map(emulated -> emulated.whenFramesBegin(action)).orElse(false);
  }

  /** Whether no frame will come any more: of cards in the machine nobody knows. */
  boolean haveAllFrames() {
    return emulatedCards.map(EmulatedCards::haveAllFrames).orElse(false);
  }

  /** Throws if frames for emulated cards could not be made. */
  void requireFrames() {
    emulatedCards.ifPresent(EmulatedCards::requireFrames);
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      close(open.pop());
    }
  }

  /** The others must be closed in any case, and whoever ends has said why. */
  static void close(AutoCloseable part) {
    try {
      part.close();
    } catch (Exception e) {
      System.err.println("warning: while the cards were closed: " + e.getMessage());
    }
  }
}
