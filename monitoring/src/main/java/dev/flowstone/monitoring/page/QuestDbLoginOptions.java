// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import dev.flowstone.commandline.SecretFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * As whom QuestDB is asked, in the words in which jobs are told. Written here once more: jobs know
 * nothing of commands, and this module nothing of jobs.
 */
final class QuestDbLoginOptions {
  private static final String PASSWORD_FILE = "--questdb-password-file";
  private static final String TOKEN_FILE = "--questdb-token-file";

  @Option(
      names = "--questdb-user",
      paramLabel = "NAME",
      description = "Its http.user; asks for " + PASSWORD_FILE + ".")
  private Optional<String> user = Optional.empty();

  @Option(
      names = PASSWORD_FILE,
      paramLabel = "FILE",
      description = "Its http.password is the first line.")
  private Optional<Path> passwordFile = Optional.empty();

  @Option(
      names = TOKEN_FILE,
      paramLabel = "FILE",
      description = "A bearer token, in place of user and password: the first line of the file.")
  private Optional<Path> tokenFile = Optional.empty();

  /**
   * Throws for what makes no sense, by the name of its option.
   *
   * @param isAsked there is a QuestDB to log in to
   */
  QuestDbLogin login(boolean isAsked) throws IOException {
    if (user.isPresent() != passwordFile.isPresent()) {
      throw new IllegalArgumentException(
          "--questdb-user and " + PASSWORD_FILE + " belong together");
    }
    if (user.isPresent() && tokenFile.isPresent()) {
      throw new IllegalArgumentException(
          "--questdb-user and " + TOKEN_FILE + " exclude each other");
    }
    if (!isAsked && (user.isPresent() || tokenFile.isPresent())) {
      throw new IllegalArgumentException(
          "--questdb says where QuestDB is; without it there is nobody to log in to");
    }
    if (user.isPresent()) {
      return QuestDbLogin.withPassword(
          user.get(), SecretFile.firstLine(PASSWORD_FILE, passwordFile.orElseThrow()));
    }
    return tokenFile.isPresent()
        ? QuestDbLogin.withToken(SecretFile.firstLine(TOKEN_FILE, tokenFile.get()))
        : QuestDbLogin.NONE;
  }
}
