// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TimelyHttpTest {
  private ServerSocket server;

  @BeforeEach
  void begin() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void end() throws IOException {
    server.close();
  }

  /** What whoever asks gets to hear of a body of four bytes. */
  private Thread answer(String body) {
    return Thread.ofVirtual()
        .start(
            () -> {
              try (Socket socket = server.accept()) {
                socket
                    .getOutputStream()
                    .write(("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n" + body).getBytes(UTF_8));
                // Until nobody waits for more.
                socket.getInputStream().readAllBytes();
              } catch (IOException gone) {
                // So is it, then.
              }
            });
  }

  private URI address() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  @Test
  void shouldWaitForABodyThatNeverComesNoLongerThanForAnything() throws Exception {
    Thread asked = answer("ab");
    assertThatThrownBy(() -> new TimelyHttp(Duration.ofMillis(300)).get(address()))
        .isInstanceOf(HttpTimeoutException.class);
    // The connection is not kept for it.
    asked.join();
  }

  @Test
  void shouldGiveTheWholeAnswer() throws Exception {
    answer("abcd");
    assertThat(new TimelyHttp(Duration.ofSeconds(30)).get(address()).body()).isEqualTo("abcd");
  }

  @Test
  void shouldSayThatNobodyAnswers() {
    assertThatThrownBy(
            () -> new TimelyHttp(Duration.ofSeconds(30)).get(URI.create("http://127.0.0.1:1")))
        .isInstanceOf(IOException.class);
  }
}
