// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.tap.card.CardException;
import dev.flowstone.tap.card.Emulator;
import dev.flowstone.tap.wire.FrameSender;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The emulated cards of a tap, with whoever sends frames to their ports. Whoever made them closes
 * them, after the cards as the tap has them open.
 */
final class EmulatedCards implements AutoCloseable {
  private static final String PREFIX = "flowstone-cards-";
  private static final int MOST_PATH_BYTES = 90;

  /** By then a card that is alive has its lock. */
  private static final Duration STARTED = Duration.ofMinutes(1);

  private final Path folder;
  private final Emulator emulator;

  /** By number, those that could be started and were not given up. */
  private final Map<Integer, ChildProcess> cards = new TreeMap<>();

  private final List<FrameSender> senders = new ArrayList<>();
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  EmulatedCards(Optional<Path> wanted) {
    try {
      Optional<Path> ofCaller = wanted.map(Path::toAbsolutePath).filter(EmulatedCards::hasRoom);
      // It goes with this tap, so it is nobody else's.
      folder = ofCaller.isPresent() ? Files.createDirectory(ofCaller.get()) : newTemporaryFolder();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a folder for emulated cards", e);
    }
    open.push(() -> delete(folder));
    emulator = new Emulator(Emulator.usualPrograms(), folder);
  }

  Emulator emulator() {
    return emulator;
  }

  /** Starts one. */
  void start(int number, DeviceChoice.Emulated device, CardOptions options) {
    List<CardFeed> feeds = options.feeds();
    List<String> arguments = new ArrayList<>(options.emulatedOptions());
    for (int port = 0; port < feeds.size(); port++) {
      arguments.addAll(List.of("--feed", feeds.get(port).argument(pipe(number, port))));
    }
    ChildProcess card = emulator.start(number, device.engine(), arguments);
    cards.put(number, card);
    open.push(card);
    for (int port = 0; port < feeds.size(); port++) {
      feeds.get(port).start(pipe(number, port)).ifPresent(this::take);
    }
  }

  /** Ends one, of which no frame is missed then. */
  void giveUp(int number) {
    OpenCards.close(cards.remove(number));
  }

  private Path pipe(int number, int port) {
    return folder.resolve("card-%d-port-%d".formatted(number, port));
  }

  private void take(FrameSender sender) {
    senders.add(sender);
    open.push(sender);
  }

  /**
   * What is done when the first frame is sent to one of them; false: nobody here sends any. To make
   * traffic takes a moment, in which their kernels run already.
   */
  boolean whenFramesBegin(Runnable action) {
    senders.forEach(sender -> sender.whenItBegins(action));
    return !senders.isEmpty();
  }

  /** Whether no frame will come any more, for one reason or another. */
  boolean haveAllFrames() {
    if (senders.stream().anyMatch(FrameSender::hasFailed)) {
      return true;
    }
    return cards.entrySet().stream()
        .allMatch(card -> !card.getValue().isAlive() || emulator.hasAllFrames(card.getKey()));
  }

  /** Throws if frames could not be made or taken that should have been. */
  void requireFrames() {
    senders.forEach(FrameSender::requireNoFailure);
    cards.forEach(EmulatedCards::requireNoComplaint);
  }

  /** A wire cannot tell what was wrong with it: the card says it, to nobody but its log. */
  private static void requireNoComplaint(int number, ChildProcess card) {
    try {
      String said = card.errors().strip();
      if (!said.isEmpty()) {
        throw new CardException("emulated card %d said: %s".formatted(number, said));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("what an emulated card said cannot be read", e);
    }
  }

  private static Path newTemporaryFolder() throws IOException {
    Path made = Files.createTempDirectory(PREFIX);
    deleteOrphans(made.getParent());
    return made;
  }

  /** Whether a card's socket may lie there: the kernel takes no longer path. */
  private static boolean hasRoom(Path folder) {
    return folder.toString().length() <= MOST_PATH_BYTES;
  }

  /** What taps that were killed have left: their cards are gone with them. */
  private static void deleteOrphans(Path temporary) {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
      for (Path each : folders) {
        if (isOrphan(each)) {
          delete(each);
        }
      }
    } catch (IOException | UncheckedIOException | NativeCallException othersFolder) {
      // Somebody else cleans up there.
    }
  }

  /** One with cards, none of which is alive. */
  private static boolean isOrphan(Path folder) throws IOException {
    try (DirectoryStream<Path> locks = Files.newDirectoryStream(folder, "card-*.lock")) {
      boolean isAny = false;
      for (Path lock : locks) {
        isAny = true;
        if (!isLeft(lock)) {
          return false;
        }
      }
      return isAny;
    }
  }

  private static boolean isLeft(Path lock) throws IOException {
    return Files.isWritable(lock)
        && Files.getLastModifiedTime(lock).toInstant().isBefore(Instant.now().minus(STARTED))
        && !FileLock.isTaken(lock);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    }
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      OpenCards.close(open.pop());
    }
  }
}
