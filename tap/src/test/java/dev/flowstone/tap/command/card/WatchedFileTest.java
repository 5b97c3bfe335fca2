// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFileTest {
  @TempDir Path folder;
  private Path file;
  private WatchedFile<String> watched;
  private final List<String> taken = new ArrayList<>();

  @BeforeEach
  void begin() throws IOException {
    file = Files.writeString(folder.resolve("words"), "first");
    watched = new WatchedFile<>(file, "words", WatchedFileTest::parse);
    assertThat(watched.read()).isEqualTo("first");
  }

  private static String parse(byte[] text, Path from) {
    String words = new String(text, StandardCharsets.UTF_8);
    if (words.equals("bad")) {
      throw new IllegalArgumentException(from + ": bad");
    }
    return words;
  }

  private void look() {
    watched.look(taken::add);
  }

  @Test
  void shouldTakeWhatStoodThereTwice() throws IOException {
    look();
    look();
    Files.writeString(file, "sec");
    look();
    Files.writeString(file, "second");
    look();
    assertThat(taken).as("half is written, or was a look ago").isEmpty();
    look();
    look();
    assertThat(taken).containsExactly("second");
  }

  @Test
  void shouldKeepWhatWasTakenWhereTheFileIsBadOrGone() throws IOException {
    Files.writeString(file, "bad");
    look();
    look();
    Files.delete(file);
    look();
    look();
    assertThat(taken).isEmpty();
    Files.writeString(file, "better");
    look();
    look();
    assertThat(taken).containsExactly("better");
  }

  @Test
  void shouldSayThatThereIsNoSuchFile() {
    Path none = folder.resolve("none");
    assertThatThrownBy(() -> new WatchedFile<>(none, "words", WatchedFileTest::parse).read())
        .isInstanceOf(UncheckedIOException.class)
        .hasMessage(none + ": cannot read the words: no such file or folder");
  }
}
