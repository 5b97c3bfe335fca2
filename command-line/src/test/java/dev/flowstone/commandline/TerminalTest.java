// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.offheap.TerminalSize;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TerminalTest {
  /** Says how large it finds its terminal. */
  static final class Asked {
    public static void main(String[] arguments) {
      System.out.println(Terminal.size());
    }
  }

  /** A terminal of its own, made by script(1). */
  @Test
  void shouldKnowTheSizeOfItsTerminal() throws Exception {
    assumeTrue(hasScript(), "SKIPPED: no terminal can be made; install script (bsdutils)");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String command =
        "stty cols 77 rows 21; exec "
            + java
            + " --enable-native-access=ALL-UNNAMED -cp "
            + System.getProperty("java.class.path")
            + " "
            + Asked.class.getName().replace("$", "\\$");
    Process script =
        new ProcessBuilder("script", "-qec", command, "/dev/null")
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .start();
    String said = new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said).contains(new TerminalSize(77, 21).toString());
  }

  private static boolean hasScript() throws InterruptedException {
    try {
      Process script = new ProcessBuilder("script", "--version").start();
      return script.waitFor() == 0;
    } catch (IOException missing) {
      return false;
    }
  }
}
