// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileWatchTest {
  @TempDir private Path folder;

  @Test
  void shouldReadAFileOnceItIsLeftAloneAndAgainWhenItChanged() throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, "one");
    try (RulesWatch.Looking looking = FileWatch.of(file).begin()) {
      assertThat(looking.look()).isEmpty();
      assertThat(texts(looking)).containsExactly("one");
      assertThat(looking.look()).isEmpty();

      Files.writeString(file, "another");
      assertThat(looking.look()).isEmpty();
      assertThat(texts(looking)).containsExactly("another");
    }
  }

  @Test
  void shouldSeeAFileThatTookTheOthersPlaceWithTheSameTimeAndLength() throws Exception {
    Path file = folder.resolve("rules.yaml");
    Path other = folder.resolve("other.yaml");
    Files.writeString(file, "one");
    Files.writeString(other, "two");
    FileTime time = FileTime.fromMillis(1_700_000_000_000L);
    Files.setLastModifiedTime(file, time);
    Files.setLastModifiedTime(other, time);
    try (RulesWatch.Looking looking = FileWatch.of(file).begin()) {
      looking.look();
      looking.look();

      Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
      looking.look();
      assertThat(texts(looking)).containsExactly("two");
    }
  }

  @Test
  void shouldSayThatThereIsNoFile() {
    try (RulesWatch.Looking looking = FileWatch.of(folder.resolve("none")).begin()) {
      assertThatThrownBy(looking::look)
          .isInstanceOf(IOException.class)
          .hasMessage(folder.resolve("none") + ": no such file or folder");
    }
  }

  /** So that whoever reads rules can say that it is too much, and nobody more of it. */
  @Test
  void shouldReadOneByteMoreThanRulesHave() throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.write(file, new byte[2 * TextFile.MOST_BYTES]);
    try (RulesWatch.Looking looking = FileWatch.of(file).begin()) {
      looking.look();
      assertThat(looking.look().getFirst().bytes()).hasSize(TextFile.MOST_BYTES + 1);
      assertThat(looking.look()).isEmpty();
    }
  }

  private static List<String> texts(RulesWatch.Looking looking) throws IOException {
    return looking.look().stream().map(read -> new String(read.bytes(), UTF_8)).toList();
  }
}
