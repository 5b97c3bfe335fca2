// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.testbed.browser.Chromium;
import dev.flowstone.testbed.browser.ShownPage;
import dev.flowstone.testbed.docs.Tutorial;
import dev.flowstone.testbed.docs.Tutorial.Begin;
import dev.flowstone.testbed.docs.Tutorial.Browse;
import dev.flowstone.testbed.docs.Tutorial.Interrupt;
import dev.flowstone.testbed.docs.Tutorial.Look;
import dev.flowstone.testbed.docs.Tutorial.Run;
import dev.flowstone.testbed.docs.Tutorial.Step;
import dev.flowstone.testbed.programs.ProjectRoot;
import dev.flowstone.testbed.programs.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/tutorial.md, step by step, from a fresh clone of what is committed. The ports are those that
 * it names, so nothing else may have them.
 */
@Tag("slow")
@Timeout(2400)
class TutorialITCase {
  private static final String CLONE = "git clone ";
  private static final RingDirectory RINGS =
      new RingDirectory(Path.of("/dev/shm/flowstone-tutorial"));
  private static final String INTO = "cd flowstone\n";

  @TempDir private Path folder;

  private final Map<String, Terminal> terminals = new HashMap<>();

  /** Of somebody who does what the page says, or of a run that was killed. */
  @BeforeAll
  static void requireNoRings() {
    assertThat(RINGS.path()).as("remove it, unless somebody is at work there").doesNotExist();
  }

  /** Also where it has failed half-way. */
  @AfterEach
  void leaveNothing() throws Exception {
    try {
      terminals.values().forEach(Terminal::close);
    } finally {
      stopCluster();
    }
  }

  private void stopCluster() throws Exception {
    try {
      if (Files.exists(folder.resolve("state/cluster"))) {
        try (Terminal last = open("./flowstone cluster stop")) {
          last.awaitEnd();
        }
      }
    } finally {
      RINGS.delete();
    }
  }

  @Test
  void shouldDoWhatTheTutorialSays() throws Exception {
    List<Step> steps =
        Tutorial.read(Files.readString(ProjectRoot.find().resolve("docs/tutorial.md")));
    assertThat(((Run) steps.getFirst()).commands()).startsWith(CLONE);
    run(new Run(CLONE + "--quiet " + ProjectRoot.find() + " flowstone\n", Optional.empty()));
    for (Step step : steps.subList(1, steps.size())) {
      switch (step) {
        case Run run -> run(run);
        case Look look -> look(look);
        case Begin begin -> begin(begin);
        case Browse browse -> browse(browse);
        case Interrupt interrupt -> interrupt(interrupt);
      }
    }
    assertThat(terminals).isEmpty();
    Chromium.require();
  }

  private Terminal open(String commands) throws IOException {
    boolean inClone = Files.isDirectory(folder.resolve("flowstone"));
    return Terminal.open(
        inClone ? folder.resolve("flowstone") : folder,
        folder.resolve("state"),
        commands.startsWith(INTO) ? commands.substring(INTO.length()) : commands);
  }

  private void run(Run step) throws Exception {
    try (Terminal terminal = open(step.commands())) {
      terminal.requireSuccess();
      if (step.shows().isPresent()) {
        terminal.awaitWords(step.shows().get());
      }
    }
  }

  private void look(Look step) throws Exception {
    try (Terminal terminal = open(step.commands())) {
      terminal.awaitWords(step.until());
      terminal.interrupt();
      terminal.awaitEnd();
    }
  }

  /** Where there is no browser the test is told as skipped, once all else is known to hold. */
  private void browse(Browse step) throws Exception {
    if (!Chromium.isThere()) {
      return;
    }
    try (ShownPage page = ShownPage.open(step.url())) {
      page.await("document.body.innerText.includes('%s')".formatted(step.shows()));
      assertThat(page.complaints()).isEmpty();
    }
  }

  private void begin(Begin step) throws Exception {
    Terminal terminal = open(step.commands());
    terminals.put(step.terminal(), terminal);
    terminal.awaitWords(step.until());
  }

  private void interrupt(Interrupt step) throws Exception {
    Terminal terminal = terminals.get(step.terminal());
    terminal.interrupt();
    if (step.until().isPresent()) {
      terminal.awaitWords(step.until().get());
    } else {
      terminal.awaitEnd();
      terminals.remove(step.terminal()).close();
    }
  }
}
