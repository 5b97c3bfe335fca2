// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.offheap.Posix;
import dev.flowstone.offheap.xrt.XrtLibrary;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.NativeProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Emulated cards: where their programs are, and how one is started. What {@code make -C hw
 * emulator} makes.
 *
 * @param programs folder of the programs
 * @param cards folder in which cards and libraries find each other
 */
public record Emulator(Path programs, Path cards) {
  private static final String PROGRAM = "flowstone-card";
  private static final String LIBRARY = "libflowstone_xrt.so";
  private static final String XCLBIN = "flowstone.xclbin";
  private static final String CABLELESS_XCLBIN = "flowstone-pcapsrc.xclbin";

  /** What {@code --design} names a card without a cable by. */
  public static final String CABLELESS = "u280_pcapsrc";

  /** The part below AMD's library, where libxrt-dev is installed. */
  private static final Path LOWER_HALF = Path.of("xrt");

  private static final String CARDS = "FLOWSTONE_CARDS";

  /** Names the folder of programs that were built elsewhere. */
  private static final String PROGRAMS = "FLOWSTONE_EMULATOR";

  /** The project's folder, where the launcher says it. */
  private static final String HOME = "flowstone.home";

  /** What it says when a tap may come. */
  private static final String READY = "is ready";

  private static final Duration START_LIMIT = Duration.ofSeconds(20);
  private static final long LOOK_MS = 10;

  public Emulator {
    programs = programs.toAbsolutePath();
    cards = cards.toAbsolutePath();
  }

  /** Where {@code ./flowstone} has it built, or the folder that somebody named. */
  public static Path usualPrograms() {
    String named = System.getenv(PROGRAMS);
    return named == null ? Path.of(System.getProperty(HOME, ""), "hw", "target") : Path.of(named);
  }

  /** Whether it was built. */
  public boolean isThere() {
    return Files.isExecutable(programs.resolve(PROGRAM));
  }

  public Path xclbin() {
    return programs.resolve(XCLBIN);
  }

  /** That of a card without a cable. */
  public Path cablelessXclbin() {
    return programs.resolve(CABLELESS_XCLBIN);
  }

  /** Flowstone's own library with XRT's functions. */
  public XrtLibrary library() {
    Posix.setEnvironment(CARDS, cards.toString());
    return XrtLibrary.load(programs.resolve(LIBRARY).toString());
  }

  /** AMD's library over the emulated cards; empty where the lower half was not built. */
  public Optional<XrtLibrary> amdLibrary() {
    Path root = programs.resolve(LOWER_HALF);
    if (!Files.isDirectory(root)) {
      return Optional.empty();
    }
    Posix.setEnvironment(CARDS, cards.toString());
    return Optional.of(XrtLibrary.loadAmdOver(root));
  }

  /**
   * Starts a card, which ends with the thread that starts it. Whoever starts it closes it.
   *
   * @param engine {@code model} or {@code rtl}
   * @param options more of the program's own, such as {@code --feed}
   */
  public ChildProcess start(int number, String engine, List<String> options) {
    String program = engine.equals("model") ? PROGRAM : PROGRAM + "-" + engine;
    Path file = programs.resolve(program);
    if (!Files.isExecutable(file)) {
      throw new CardException(
          file
              + ": there is no such emulated card: build it with make -C hw emulator"
              + (engine.equals("model") ? "" : "-" + engine));
    }
    List<String> arguments =
        new ArrayList<>(
            List.of("--folder", cards.toString(), "--number", "" + number, "--engine", engine));
    arguments.addAll(options);
    try {
      Files.createDirectories(cards);
      ChildProcess card =
          ChildProcess.start(
              new NativeProgram("emulated card " + number, file, arguments),
              ChildOutput.gatheredIn(cards));
      awaitReady(card);
      return card;
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be started", e);
    }
  }

  /** Whether no frame will come at any port of a card any more; false while nobody can tell. */
  public boolean hasAllFrames(int number) {
    try {
      String state = Files.readString(cards.resolve("card-" + number + ".state"));
      return state.contains(".over=true") && !state.contains(".over=false");
    } catch (IOException notNow) {
      return false;
    }
  }

  private static void awaitReady(ChildProcess card) throws IOException {
    long endNs = System.nanoTime() + START_LIMIT.toNanos();
    while (!card.output().contains(READY)) {
      if (!card.isAlive() || System.nanoTime() - endNs > 0) {
        String why = card.isAlive() ? "it is not ready after " + START_LIMIT : card.explainEnd();
        card.close();
        throw new CardException(why);
      }
      try {
        Thread.sleep(LOOK_MS);
      } catch (InterruptedException e) {
        card.close();
        Thread.currentThread().interrupt();
        throw new CardException("interrupted while a card was started", e);
      }
    }
  }
}
