// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.jobs.endpoints.AllowedRange;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import picocli.CommandLine.Option;

/** Whether and how a job's results get to QuestDB. */
public final class QuestDbOptions {
  private static final long MIN_BUFFER_BYTES = 4L << 20;
  private static final long MAX_BUFFER_BYTES = 4L << 30;
  private static final String DEFAULT_BUFFER_BYTES = "134217728";

  @Option(
      names = "--questdb",
      paramLabel = "http://HOST:PORT",
      description =
          "QuestDB (9.1 or newer) for results, a table for each kind, and for what the stages count;"
              + " each leaves when a checkpoint completes. Default: none.")
  public URI address;

  @Option(
      names = "--questdb-user",
      paramLabel = "NAME",
      description = "Its http.user; asks for --questdb-password-file.")
  public String user;

  @Option(
      names = "--questdb-password-file",
      paramLabel = "FILE",
      description =
          "Its http.password is the first line; read where the job is submitted, and part of the job"
              + " from there on.")
  public Path passwordFile;

  @Option(
      names = "--questdb-token-file",
      paramLabel = "FILE",
      description =
          "A bearer token, in place of user and password: the first line of the file, which is read as"
              + " that of the password.")
  public Path tokenFile;

  @Option(
      names = "--questdb-buffer-bytes",
      paramLabel = "N",
      defaultValue = DEFAULT_BUFFER_BYTES,
      description =
          "Bytes of results that may wait in each process of the job, for a checkpoint or for"
              + " QuestDB; they are part of each checkpoint. Default ${DEFAULT-VALUE}.")
  public long bufferBytes = Long.parseLong(DEFAULT_BUFFER_BYTES);

  @Option(
      names = "--questdb-when-full",
      paramLabel = "drop|fail",
      defaultValue = "drop",
      description =
          "When QuestDB is away and the buffer is full: drop the oldest results and count them, or"
              + " fail. If it answers, the oldest are sent before their checkpoint. Default"
              + " ${DEFAULT-VALUE}.")
  public WhenFull whenFull = WhenFull.DROP;

  public boolean isGiven() {
    return address != null;
  }

  /** Throws for a value that makes no sense, by the name of its option. */
  public void requireSense() {
    AllowedRange.require("--questdb-buffer-bytes", bufferBytes, MIN_BUFFER_BYTES, MAX_BUFFER_BYTES);
    if (isGiven()) {
      requireServer();
    } else if (user != null || passwordFile != null || tokenFile != null) {
      throw new IllegalArgumentException(
          "--questdb says where QuestDB is; without it there is nobody to log in to");
    }
    if ((user == null) != (passwordFile == null)) {
      throw new IllegalArgumentException(
          "--questdb-user and --questdb-password-file belong together");
    }
    if (user != null && tokenFile != null) {
      throw new IllegalArgumentException(
          "--questdb-user and --questdb-token-file exclude each other");
    }
  }

  private void requireServer() {
    if (address.getRawUserInfo() != null) {
      throw new IllegalArgumentException(
          "--questdb takes no user; use --questdb-user and --questdb-password-file");
    }
    boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
    boolean isBare =
        address.getRawPath() == null
            || address.getRawPath().isEmpty()
            || address.getRawPath().equals("/");
    if (!isHttp || address.getHost() == null || !isBare || address.getRawQuery() != null) {
      throw new IllegalArgumentException(
          "--questdb must be like http://localhost:9000, with nothing behind: " + address);
    }
  }

  /** What each request carries; nothing: whoever asks is let in. */
  String authorization() {
    if (user != null) {
      String login = user + ":" + firstLine("--questdb-password-file", passwordFile);
      return "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8));
    }
    return tokenFile == null ? "" : "Bearer " + firstLine("--questdb-token-file", tokenFile);
  }

  private static String firstLine(String option, Path file) {
    try {
      return Files.readString(file).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(option + ": cannot read " + file + ": " + Reason.of(e), e);
    }
  }
}
