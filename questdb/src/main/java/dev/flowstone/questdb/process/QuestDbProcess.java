// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.questdb.process;

import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.processes.Patience;
import dev.flowstone.processes.ServerProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A QuestDB as a process of its own, so that its jar meets none of a job's. It listens on loopback
 * alone and keeps what it was told in its folder, also when it is killed.
 *
 * <p>Whoever starts it closes it; should that process die first, QuestDB stops as well. Any thread
 * may call any method.
 */
public final class QuestDbProcess implements ServerProcess {
  /** Any port that is free. */
  public static final int ANY_PORT = 0;

  private static final Duration START_PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);
  private static final String MAIN_CLASS = "io.questdb.ServerMain";
  private static final String QUESTION = "/exec?query=select%201";
  private static final int OK = 200;

  private final ChildProcess process;
  private final URI address;
  private final int sqlPort;

  private QuestDbProcess(ChildProcess process, URI address, int sqlPort) {
    this.process = process;
    this.address = address;
    this.sqlPort = sqlPort;
  }

  /** Starts QuestDB with any free port for SQL clients. */
  public static QuestDbProcess start(Path directory, int port)
      throws IOException, InterruptedException {
    return start(directory, port, ANY_PORT);
  }

  /**
   * Starts QuestDB and returns when it answers.
   *
   * @param directory its data, configuration and log; the caller's, never deleted here
   * @param port of HTTP on 127.0.0.1, or {@link #ANY_PORT}
   * @param sqlPort of PostgreSQL's protocol, or {@link #ANY_PORT}
   * @throws IOException if it does not come up; the message holds its own words
   */
  public static QuestDbProcess start(Path directory, int port, int sqlPort)
      throws IOException, InterruptedException {
    int chosen = requireFree(port);
    int chosenForSql = requireFree(sqlPort);
    Path folder = Files.createDirectories(directory).toAbsolutePath();
    new QuestDbConfiguration(chosen, chosenForSql).writeTo(folder);
    ChildProcess process = ChildProcess.start(program(folder), ChildOutput.gatheredIn(folder));
    try {
      URI address = URI.create("http://" + LoopbackPorts.HOST + ":" + chosen);
      awaitAnswer(process, address, folder);
      return new QuestDbProcess(process, address, chosenForSql);
    } catch (IOException | InterruptedException notStarted) {
      process.close();
      throw notStarted;
    }
  }

  private static int requireFree(int port) throws IOException {
    if (port == ANY_PORT) {
      return LoopbackPorts.claimFree();
    }
    if (!LoopbackPorts.isFree(port)) {
      throw new IOException(
          "port %d on %s is in use; choose another one for QuestDB"
              .formatted(port, LoopbackPorts.HOST));
    }
    return port;
  }

  private static JavaProgram program(Path folder) throws IOException {
    Path libraries = Files.createDirectories(folder.resolve("native"));
    deleteFilesOf(libraries);
    return JavaProgram.of("questdb", MAIN_CLASS, List.of("-d", folder.toString()))
        .withClassPath(QuestDbClassPath.read())
        .withJvmOptions(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-Djava.io.tmpdir=" + libraries,
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow");
  }

  /** It unpacks its library at each start, and cannot delete that when it is killed. */
  private static void deleteFilesOf(Path libraries) throws IOException {
    try (Stream<Path> files = Files.list(libraries)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  private static void awaitAnswer(ChildProcess process, URI address, Path folder)
      throws IOException, InterruptedException {
    Patience patience = new Patience(START_PATIENCE);
    try (HttpClient client = HttpClient.newHttpClient()) {
      while (!answers(client, address)) {
        if (process.awaitEnd(POLL_INTERVAL)) {
          throw new IOException(process.explainEnd());
        }
        if (patience.isOver(process.work())) {
          throw new IOException(
              "QuestDB does not get ready: it has done nothing for %d s; see %s"
                  .formatted(START_PATIENCE.toSeconds(), folder));
        }
      }
    }
  }

  private static boolean answers(HttpClient client, URI address) throws InterruptedException {
    HttpRequest question =
        HttpRequest.newBuilder(address.resolve(QUESTION)).timeout(ANSWER_LIMIT).build();
    try {
      return client.send(question, BodyHandlers.discarding()).statusCode() == OK;
    } catch (IOException notYet) {
      return false;
    }
  }

  /** Where it takes lines and answers queries: {@code http://127.0.0.1:PORT}. */
  public URI address() {
    return address;
  }

  public int port() {
    return address.getPort();
  }

  /** Where it speaks PostgreSQL's protocol: {@code 127.0.0.1:PORT}. */
  public String sqlAddress() {
    return LoopbackPorts.HOST + ":" + sqlPort;
  }

  @Override
  public ProcessHandle handle() {
    return process.handle();
  }

  /** Throws with the reason if it has ended. */
  @Override
  public void requireRunning() throws IOException {
    process.requireRunning();
  }

  /** SIGKILL; returns when it is gone. Its folder can be started again. */
  public void kill() throws InterruptedException {
    process.kill();
  }

  /** Stops it and returns when its process is gone. */
  @Override
  public void close() {
    process.close();
  }
}
