// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.tap.command.source.SyntheticCommand;
import dev.flowstone.tap.datagram.MadeDatagram;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Both commands in this process, over the loopback interface. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ForwardReceiveTest {
  private static final long POLL_MS = 10;

  @TempDir Path folder;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream usual = System.err;

  /** Each command waits for the other: they must not wait for one another's thread. */
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private final InputStream usualInput = System.in;
  private final CountDownLatch endOfInput = new CountDownLatch(1);

  @BeforeEach
  void hear() {
    System.setIn(new EndingInput(endOfInput));
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void stopHearing() {
    System.setErr(usual);
    System.setIn(usualInput);
    threads.shutdown();
  }

  /** Empty standard input, which ends when the test says so. */
  private static final class EndingInput extends InputStream {
    private final CountDownLatch end;

    EndingInput(CountDownLatch end) {
      this.end = end;
    }

    @Override
    public int read() throws IOException {
      try {
        end.await();
        return -1;
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return read();
    }
  }

  private String said() {
    return said.toString(StandardCharsets.UTF_8);
  }

  private void fill(int packets) {
    run(
        new SyntheticCommand(),
        "--rings",
        folder.resolve("sent").toString(),
        "--ring-count",
        "3",
        "--ring-bytes",
        "4m",
        "--max-parallelism",
        "96",
        "--packets",
        "" + packets,
        "--unlimited",
        "--when-full",
        "drop");
  }

  private static int run(Object command, String... arguments) {
    return CommandRunner.run(command, arguments);
  }

  private CompletableFuture<Integer> receive(int port, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--listen", "127.0.0.1:" + port, "--rings", folder.resolve("received").toString()));
    arguments.addAll(List.of("--ring-bytes", "8m", "--hold", "0s"));
    arguments.addAll(List.of("--report", folder.resolve("received.json").toString()));
    arguments.addAll(List.of(more));
    CompletableFuture<Integer> status =
        CompletableFuture.supplyAsync(
            () -> run(new ReceiveCommand(), arguments.toArray(String[]::new)), threads);
    await("waits for a sender");
    return status;
  }

  private int forward(int port, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("--to", "127.0.0.1:" + port, "--rings", folder.resolve("sent").toString()));
    arguments.addAll(List.of("--report", folder.resolve("sent.json").toString()));
    arguments.addAll(List.of(more));
    return run(new ForwardCommand(), arguments.toArray(String[]::new));
  }

  private void await(String words) throws InterruptedException {
    while (!said().contains(words)) {
      Thread.sleep(POLL_MS);
    }
  }

  private static int freePort() throws IOException {
    try (DatagramSocket socket =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      return socket.getLocalPort();
    }
  }

  private JsonNode report(String file) throws IOException {
    return new ObjectMapper().readTree(folder.resolve(file).toFile());
  }

  private static long sum(JsonNode report, String field) {
    long sum = 0;
    for (JsonNode ring : report.get("rings")) {
      sum += ring.get(field).asLong();
    }
    return sum;
  }

  @Test
  void shouldCarryATapsRingsToAnotherFolder() throws Exception {
    fill(30_000);
    int port = freePort();
    CompletableFuture<Integer> receiver = receive(port);
    assertThat(forward(port, "--bounded", "--rate", "100k")).as(said()).isZero();
    assertThat(receiver.join()).as(said()).isZero();

    JsonNode sent = report("sent.json");
    JsonNode received = report("received.json");
    assertThat(sum(sent, "read")).isEqualTo(30_000);
    assertThat(sum(sent, "sent")).isEqualTo(30_000);
    assertThat(sum(received, "written")).isEqualTo(30_000);
    assertThat(received.get("ended").asBoolean()).isTrue();
    assertThat(said())
        .contains("30,000 packets read = 30,000 sent + 0 unsent")
        .contains("30,000 packets received = 30,000 written + 0 dropped")
        .contains("as reader forward: datagrams of up to 138 packets (8,960 bytes)");
    for (int ring = 0; ring < 3; ring++) {
      try (RingFile from = ring("sent", ring);
          RingFile to = ring("received", ring)) {
        assertThat(to.identity().maxParallelism()).isEqualTo(96);
        assertThat(to.identity().clock()).isEqualTo(from.identity().clock());
        assertThat(to.keyGroupTable()).isEqualTo(from.keyGroupTable());
        assertThat(to.counters().writtenPackets()).isEqualTo(from.counters().writtenPackets());
        assertThat(to.counters().offeredBytes()).isEqualTo(from.counters().offeredBytes());
        assertThat(to.isEnded()).isTrue();
        assertThat(from.lanes().occupants()).as("nobody comes back to it").isEmpty();
      }
    }
  }

  private RingFile ring(String of, int number) {
    return RingFile.open(new RingDirectory(folder.resolve(of)).ringFile(number));
  }

  /** Until somebody stops them. */
  @Test
  void shouldGoOnWhenTheRingsHaveEndedAndServeMetrics() throws Exception {
    fill(10_000);
    int port = freePort();
    CompletableFuture<Integer> receiver = receive(port, "--stop-on-stdin-end", "--metrics", "0");
    await("metrics at ");
    URI receiverMetrics = metrics();
    CompletableFuture<Integer> sender =
        CompletableFuture.supplyAsync(
            () -> forward(port, "--stop-on-stdin-end", "--rate", "100k", "--metrics", "0"),
            threads);
    await("run ");
    URI senderMetrics = metrics();
    String text = "";
    while (receivedPackets(text) < 10_000) {
      text = ask(receiverMetrics);
      Thread.sleep(POLL_MS);
    }
    assertThat(text)
        .contains("flowstone_receive_info{listen=\"127.0.0.1:" + port + "\"} 1")
        .contains("flowstone_receive_lost_packets_total{ring=\"1\",cause=\"network\"} 0")
        .contains("flowstone_receive_refused_datagrams_total{reason=\"other_sender\"} 0")
        .contains("flowstone_ring_slots{ring=\"2\"} 131072");
    assertThat(ask(senderMetrics))
        .contains("flowstone_forward_info{to=\"127.0.0.1:" + port + "\",reader=\"forward\"} 1")
        .containsPattern("flowstone_forward_sent_packets_total\\{ring=\"0\"} 3\\d{3}");
    endOfInput.countDown();
    assertThat(sender.join()).isZero();
    assertThat(receiver.join()).isZero();
    assertThat(sum(report("received.json"), "written")).isEqualTo(10_000);
    try (RingFile ring = ring("sent", 0)) {
      assertThat(ring.lanes().occupants()).as("it may come back").hasSize(1);
    }
  }

  private static long receivedPackets(String metrics) {
    return metrics
        .lines()
        .filter(line -> line.startsWith("flowstone_receive_packets_total{"))
        .mapToLong(line -> Long.parseLong(line.replaceFirst(".* ", "")))
        .sum();
  }

  private URI metrics() {
    String all = said();
    int at = all.lastIndexOf("metrics at ") + "metrics at ".length();
    return URI.create(all.substring(at, all.indexOf('\n', at)));
  }

  private static String ask(URI metrics) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(HttpRequest.newBuilder(metrics).build(), BodyHandlers.ofString()).body();
    }
  }

  @Test
  void shouldRefuseWhatComesFromElsewhere() throws Exception {
    int port = freePort();
    CompletableFuture<Integer> receiver =
        receive(port, "--from", "192.0.2.1", "--stop-on-stdin-end");
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.send(
          new DatagramPacket(
              new byte[200], 200, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }
    endOfInput.countDown();
    assertThat(receiver.join()).isZero();
    JsonNode report = report("received.json");
    assertThat(report.get("refused").get("address").asInt()).isEqualTo(1);
    assertThat(report.get("rings")).isEmpty();
    assertThat(folder.resolve("received")).doesNotExist();
  }

  @Test
  void acceptsSendersOfEachAllowedPrefix() throws Exception {
    fill(1_000);
    int port = freePort();
    CompletableFuture<Integer> receiver =
        receive(port, "--from", "192.0.2.1", "--from", "127.0.0.0/8");
    assertThat(forward(port, "--bounded")).as(said()).isZero();
    assertThat(receiver.join()).as(said()).isZero();
    assertThat(sum(report("received.json"), "written")).isEqualTo(1_000);
  }

  private String keyFile(String name, String key) throws IOException {
    return Files.writeString(folder.resolve(name), key + "\n").toString();
  }

  @Test
  void carriesRingsWithAKey() throws Exception {
    fill(10_000);
    int port = freePort();
    String key = keyFile("key", "0123456789abcdef");
    CompletableFuture<Integer> receiver = receive(port, "--key-file", key);
    assertThat(forward(port, "--bounded", "--rate", "100k", "--key-file", key)).as(said()).isZero();
    assertThat(receiver.join()).as(said()).isZero();
    assertThat(sum(report("received.json"), "written")).isEqualTo(10_000);
    assertThat(said()).contains("datagrams of up to 137 packets (8,912 bytes)");
  }

  @Test
  void rejectsSendersWithoutTheKey() throws Exception {
    fill(1_000);
    int port = freePort();
    CompletableFuture<Integer> receiver =
        receive(port, "--key-file", keyFile("key", "0123456789abcdef"), "--stop-on-stdin-end");
    assertThat(forward(port, "--bounded")).isZero();
    assertThat(forward(port, "--bounded", "--key-file", keyFile("other", "0123456789abcdeF")))
        .isZero();
    endOfInput.countDown();
    assertThat(receiver.join()).as(said()).isZero();
    JsonNode received = report("received.json");
    assertThat(received.get("refused").get("unauthenticated").asLong())
        .isPositive()
        .isEqualTo(received.get("datagrams").asLong());
    assertThat(folder.resolve("received")).doesNotExist();
    assertThat(said()).contains("datagrams were refused: unauthenticated ");
  }

  @Test
  void rejectsShortKeys() throws Exception {
    String key = keyFile("key", "0123456789abcde");
    assertThat(run(new ForwardCommand(), "--to", "127.0.0.1:9", "--key-file", key)).isEqualTo(2);
    assertThat(run(new ReceiveCommand(), "--listen", "127.0.0.1:9", "--key-file", key))
        .isEqualTo(2);
    assertThat(said())
        .contains("flowstone: --key-file: " + key + ": expected a key of at least 16 bytes, got 15")
        .doesNotContain("0123456789abcde");
  }

  /** Of other rings than the true sender's, which then has its own. */
  @Test
  void forgedHelloDoesNotLockOutTheSender() throws Exception {
    fill(1_000);
    int port = freePort();
    CompletableFuture<Integer> receiver = receive(port);
    try (MadeDatagram forged = MadeDatagram.hello(0).run(66, 66).tap(66);
        DatagramSocket socket = new DatagramSocket()) {
      byte[] bytes = new byte[forged.lengthBytes()];
      forged.checked().toFill().get(bytes);
      socket.send(
          new DatagramPacket(
              bytes, bytes.length, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    }
    await("of a sender with 1 rings");
    assertThat(forward(port, "--bounded")).as(said()).isZero();
    assertThat(receiver.join()).as(said()).isZero();
    JsonNode received = report("received.json");
    assertThat(sum(received, "written")).isEqualTo(1_000);
    assertThat(received.get("rings")).hasSize(3);
  }

  /** Whatever the cause: the process goes on, and the metrics show it. */
  @Test
  void survivesFoldersInWhichNoRingCanBeMade() throws Exception {
    fill(1_000);
    Files.writeString(folder.resolve("received"), "no folder");
    int port = freePort();
    CompletableFuture<Integer> receiver = receive(port, "--stop-on-stdin-end", "--metrics", "0");
    await("metrics at ");
    assertThat(forward(port, "--bounded")).isZero();
    assertThat(ask(metrics()))
        .containsPattern("refused_datagrams_total\\{reason=\"rings_unavailable\"} [1-9]");
    assertThat(receiver).isNotDone();
    endOfInput.countDown();
    assertThat(receiver.join()).as(said()).isZero();
    assertThat(said()).contains("cannot make 3 rings: ");
  }

  @Test
  void shouldSayThatNobodyListens() throws Exception {
    fill(10_000);
    int port = freePort();
    assertThat(forward(port, "--bounded")).isZero();
    assertThat(said())
        .contains("warning: nobody listens at 127.0.0.1:" + port)
        .contains("times nobody listened, as the other host said");
    assertThat(report("sent.json").get("unreachable").asLong()).isPositive();
  }

  @Test
  void shouldNotShareAPort() throws Exception {
    try (DatagramSocket taken =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      assertThat(run(new ReceiveCommand(), "--listen", "127.0.0.1:" + taken.getLocalPort()))
          .isEqualTo(1);
      assertThat(said())
          .contains(
              "cannot receive at 127.0.0.1:" + taken.getLocalPort() + ": Address already in use");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--mtu=575",
        "--mtu=65536",
        "--rate=0",
        "--socket-bytes=1k",
        "--to=192.0.2.1",
        "--to=192.0.2.1:65536",
        "--to=::1:9401",
        "--to=",
        "--seconds=0"
      })
  void shouldRefuseToSendWhatMakesNoSense(String option) {
    String[] words = option.split("=", 2);
    assertThat(run(new ForwardCommand(), "--to", "127.0.0.1:9", words[0], words[1])).isEqualTo(2);
    assertThat(said()).startsWith("flowstone: ").contains("see ./flowstone forward --help");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--reorder=0",
        "--reorder=1025",
        "--reorder-wait=50",
        "--reorder-wait=10001ms",
        "--listen=9401",
        "--from=no.such.host.invalid",
        "--from=192.0.2.0/33",
        "--from=192.0.2.0/",
        "--max-rings=0",
        "--max-rings=257",
        "--ring-bytes=1k",
        "--ring-count=2",
        "--when-full=wait"
      })
  void shouldRefuseToReceiveWhatMakesNoSense(String option) {
    String[] words = option.split("=", 2);
    assertThat(run(new ReceiveCommand(), "--listen", "127.0.0.1:9", words[0], words[1]))
        .isEqualTo(2);
    assertThat(said()).startsWith("flowstone: ").contains("see ./flowstone receive --help");
  }
}
