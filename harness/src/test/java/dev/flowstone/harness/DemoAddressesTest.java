// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoAddressesTest {
  /** Greater than any that Linux gives. */
  private static final long NOBODY = 1L << 23;

  @TempDir private Path folder;

  private static DemoAddresses of(long pid, String questdb) {
    return new DemoAddresses(
        pid, "http://localhost:1", "localhost:2", "p", "r", questdb, null, "/rings");
  }

  @Test
  void shouldSayTheSameToWhoeverReadsIt() throws Exception {
    Path file = folder.resolve("state").resolve("demo.json");
    assertThat(DemoAddresses.read(file)).isEmpty();
    DemoAddresses written = of(ProcessHandle.current().pid(), "http://localhost:3");
    written.write(file);
    assertThat(DemoAddresses.read(file)).contains(written);
    assertThat(file)
        .content()
        .contains("\"results_topic\" : \"r\"", "\"questdb\" : \"http://localhost:3\"")
        .doesNotContain("questdb_sql");
    assertThat(file.getParent().toFile().list()).containsExactly("demo.json");
  }

  @Test
  void shouldKnowThatADemoWasKilled() {
    assertThat(of(ProcessHandle.current().pid(), null).isAlive()).isTrue();
    assertThat(of(NOBODY, null).isAlive()).isFalse();
  }

  @Test
  void shouldLeaveAloneWhatALaterDemoWrote() throws Exception {
    Path file = folder.resolve("demo.json");
    DemoAddresses earlier = of(1, null);
    earlier.write(file);
    of(2, null).write(file);
    earlier.remove(file);
    assertThat(DemoAddresses.read(file)).contains(of(2, null));
    of(2, null).remove(file);
    assertThat(file).doesNotExist();
    of(2, null).remove(file);
  }

  @Test
  void shouldNameTheFileThatSaysSomethingElse() throws Exception {
    Path file = Files.writeString(folder.resolve("demo.json"), "{");
    assertThatThrownBy(() -> DemoAddresses.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("remove it");
  }
}
