// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.questdb.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.processes.LoopbackPorts;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class QuestDbProcessITCase {
  @TempDir Path directory;

  @Test
  void shouldKeepWhatItWasToldWhenItIsKilled() throws Exception {
    int port;
    ProcessHandle killed;
    String[] libraries;
    try (QuestDbProcess questDb = QuestDbProcess.start(directory, QuestDbProcess.ANY_PORT)) {
      port = questDb.port();
      killed = questDb.handle();
      // 127.0.0.2 reaches this machine as well: only a listener bound to every address answers.
      assertThatThrownBy(() -> new Socket(InetAddress.ofLiteral("127.0.0.2"), port).close())
          .isInstanceOf(ConnectException.class);
      ask(
          questDb,
          "CREATE TABLE seen (time TIMESTAMP_NS, n LONG) TIMESTAMP(time) PARTITION BY DAY");
      ask(questDb, "INSERT INTO seen VALUES (5, 7)");
      libraries = directory.resolve("native").toFile().list();
      assertThat(libraries).isNotEmpty();
      questDb.requireRunning();
      questDb.kill();
      assertThatThrownBy(questDb::requireRunning).hasMessageContaining("SIGKILL");
    }
    assertThat(killed.isAlive()).isFalse();
    ProcessHandle closed;
    try (QuestDbProcess questDb = QuestDbProcess.start(directory, port)) {
      closed = questDb.handle();
      assertThat(questDb.port()).isEqualTo(port);
      // It writes to the table what its log has, a moment after it answers.
      String answer = ask(questDb, "SELECT n FROM seen");
      while (answer.contains("\"dataset\":[]")) {
        Thread.sleep(20);
        answer = ask(questDb, "SELECT n FROM seen");
      }
      assertThat(answer).contains("\"dataset\":[[7]]");
      // Nor does a kill leave anything behind that nobody deletes.
      assertThat(directory.resolve("native").toFile().list()).hasSameSizeAs(libraries);
    }
    assertThat(closed.isAlive()).isFalse();
  }

  @Test
  void shouldSayInOneLineThatPortIsBusy() throws Exception {
    try (ServerSocket occupied = new ServerSocket()) {
      occupied.bind(new InetSocketAddress(InetAddress.ofLiteral(LoopbackPorts.HOST), 0));
      assertThatThrownBy(() -> QuestDbProcess.start(directory, occupied.getLocalPort()).close())
          .isInstanceOf(IOException.class)
          .hasMessage(
              "port %d on 127.0.0.1 is in use; choose another one for QuestDB",
              occupied.getLocalPort());
    }
  }

  private static String ask(QuestDbProcess questDb, String sql) throws Exception {
    URI question =
        questDb.address().resolve("/exec?query=" + URLEncoder.encode(sql, StandardCharsets.UTF_8));
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> answer =
          client.send(HttpRequest.newBuilder(question).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return answer.body();
    }
  }
}
