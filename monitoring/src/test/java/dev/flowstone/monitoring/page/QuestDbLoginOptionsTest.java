// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class QuestDbLoginOptionsTest {
  @TempDir private Path folder;

  private static QuestDbLogin login(boolean isAsked, String... arguments) throws IOException {
    QuestDbLoginOptions options = new QuestDbLoginOptions();
    new CommandLine(options).parseArgs(arguments);
    return options.login(isAsked);
  }

  private static void requireRefusal(String message, boolean isAsked, String... arguments) {
    assertThatThrownBy(() -> login(isAsked, arguments))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldSayWhatTheFirstLineOfTheFileSays() throws Exception {
    String file = Files.writeString(folder.resolve("secret"), "quest\nmore\n").toString();
    QuestDbLogin login = login(true, "--questdb-user", "admin", "--questdb-password-file", file);
    assertThat(login.authorization())
        .isEqualTo(QuestDbLogin.withPassword("admin", "quest").authorization());
    assertThat(login).asString().doesNotContain(login.authorization());
    assertThat(login(true, "--questdb-token-file", file).authorization())
        .isEqualTo(QuestDbLogin.withToken("quest").authorization());
    assertThat(login(false).authorization()).isEmpty();
  }

  @Test
  void shouldRefuseByTheOptionsName() {
    requireRefusal(
        "--questdb-user and --questdb-password-file belong together", true, "--questdb-user", "a");
    requireRefusal("belong together", true, "--questdb-password-file", "x");
    requireRefusal(
        "--questdb-user and --questdb-token-file exclude each other",
        true,
        "--questdb-user=a",
        "--questdb-password-file=x",
        "--questdb-token-file=y");
    requireRefusal("--questdb says where QuestDB is", false, "--questdb-token-file", "x");
    assertThatThrownBy(() -> login(true, "--questdb-token-file", "/nope"))
        .isInstanceOf(IOException.class)
        .hasMessage("--questdb-token-file: cannot read /nope: no such file or folder");
  }
}
