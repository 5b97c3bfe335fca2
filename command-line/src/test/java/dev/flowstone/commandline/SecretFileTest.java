// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFileTest {
  @TempDir private Path folder;

  @Test
  void shouldReadTheFirstLine() throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), " two words \nno part of it\n");
    assertThat(SecretFile.firstLine("--secret", file)).isEqualTo("two words");
  }

  @Test
  void shouldSayWhyThereIsNone() throws Exception {
    Path none = folder.resolve("none");
    assertThatThrownBy(() -> SecretFile.firstLine("--secret", none))
        .hasMessage("--secret: cannot read " + none + ": no such file or folder");
    Path empty = Files.writeString(folder.resolve("empty"), "\nsecret\n");
    assertThatThrownBy(() -> SecretFile.firstLine("--secret", empty))
        .hasMessageStartingWith("--secret: the first line of " + empty + " is empty");
  }
}
