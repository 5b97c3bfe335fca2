// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputFileTest {
  private static final byte[] CONTENT = {'x'};

  @TempDir private Path folder;

  /**
   * Whoever reads it at the end is not to wonder whether it is the same that others read before.
   */
  @ParameterizedTest
  @ValueSource(strings = {"/proc/x.json", "/no-such-folder/x.json", "/tmp"})
  void shouldSayTheSameAtTheStartAndAtTheEnd(String place) {
    Path file = Path.of(place);
    Throwable atTheStart = catchThrowable(() -> OutputFile.requireWritable(file));
    assertThat(atTheStart)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("cannot write " + place + ": ");
    assertThatThrownBy(() -> OutputFile.write(file, CONTENT))
        .isInstanceOf(IOException.class)
        .hasMessage(atTheStart.getMessage());
  }

  @Test
  void shouldLeaveNoTraceOfItsTrial() throws Exception {
    Path made = folder.resolve("new.json");
    OutputFile.requireWritable(made);
    assertThat(made).doesNotExist();
    Path former = Files.writeString(folder.resolve("former.json"), "{}");
    OutputFile.requireWritable(former);
    assertThat(former).hasContent("{}");
    OutputFile.write(former, CONTENT);
    assertThat(former).hasContent("x");
  }
}
