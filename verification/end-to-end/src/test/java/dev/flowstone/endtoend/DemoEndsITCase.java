// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.testbed.programs.ChangedClass;
import dev.flowstone.testbed.programs.DemoProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * However the demo ends, it prints why and leaves nothing. How soon it does is tested when nothing
 * else runs.
 */
@Timeout(240)
class DemoEndsITCase {
  private static final int FAILED = 1;
  private static final int NOT_FOUND = 404;
  private static final int STOPPED_BY_CTRL_C = 130;
  private static final Duration SOON = Duration.ofSeconds(5);

  /** Shorter than any of Flink's writers would wait for a broker. */
  private static final Duration SOON_AFTER = Duration.ofSeconds(10);

  private static final Duration READ_LIMIT = Duration.ofSeconds(30);

  @TempDir private Path folder;

  /** While Flink and Kafka are half started, which once was the moment to wait for ever. */
  @Test
  @Tag("slow")
  void shouldSayWhyItsTapFailedBeforeAnythingElseEnds() throws Exception {
    Path changed =
        ChangedClass.compile(
            folder,
            "demo/src/main/java/dev/flowstone/demo/TrafficOptions.java",
            "live.ifPresent(TrafficOptions::requireInterface);",
            "live.ifPresent(name -> name.length());");
    try (DemoProcess demo =
        new DemoProcess(folder, List.of(changed), "--live", "nosuch0", "--no-questdb")) {
      demo.awaitWords("flowstone: the tap failed: ");
      assertThat(demo.tree().root().isAlive()).as("says it before it has closed").isTrue();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(FAILED);
      assertThat(demo.output()).doesNotContain("it was killed", "did not close");
      demo.requireNoRingLeft();
    }
  }

  @Test
  void shouldSayThatItsBrokerDied() throws Exception {
    try (DemoProcess demo =
        new DemoProcess(
            folder, List.of(), "--no-questdb", "--rate", "10k", "--ring-bytes", "64m")) {
      demo.awaitPackets();
      requireSpectatorsAlone(demo.webUrl());
      demo.child("KafkaBroker").destroyForcibly();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(FAILED);
      assertThat(demo.output())
          .contains("flowstone: the broker ended with SIGKILL")
          .doesNotContain("accounted for", "NOT BALANCED");
      demo.requireNoRingLeft();
    }
  }

  @Test
  @Tag("undisturbed")
  @Tag("slow")
  void shouldSaySoonThatItsBrokerDied() throws Exception {
    try (DemoProcess demo = new DemoProcess(folder, List.of(), "--no-questdb")) {
      demo.awaitPackets();
      demo.child("KafkaBroker").destroyForcibly();
      requireSaidSoon(demo, "flowstone: the broker ended with SIGKILL");
      long saidNs = System.nanoTime();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(FAILED);
      assertThat(Duration.ofNanos(System.nanoTime() - saidNs)).isLessThan(SOON_AFTER);
    }
  }

  @Test
  @Tag("undisturbed")
  @Tag("slow")
  void shouldSaySoonThatItsQuestDbDied() throws Exception {
    try (DemoProcess demo = new DemoProcess(folder, List.of())) {
      demo.awaitPackets();
      demo.child("io.questdb.ServerMain").destroyForcibly();
      requireSaidSoon(demo, "flowstone: the questdb ended with SIGKILL");
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(FAILED);
      demo.requireNoRingLeft();
    }
  }

  /** Whoever is on this machine may see the job by its name, and neither add one nor end it. */
  private static void requireSpectatorsAlone(String webUrl) throws Exception {
    assertThat(ask(webUrl + "/jobs/overview", "GET").body())
        .contains("Flowstone demo: packets to Kafka");
    assertThat(ask(webUrl + "/config", "GET").body())
        .contains("\"web-submit\":false", "\"web-cancel\":false");
    assertThat(ask(webUrl + "/jars/upload", "POST").statusCode()).isEqualTo(NOT_FOUND);
  }

  private static HttpResponse<String> ask(String url, String method) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          HttpRequest.newBuilder(URI.create(url)).method(method, BodyPublishers.noBody()).build(),
          BodyHandlers.ofString());
    }
  }

  @Test
  @Tag("undisturbed")
  @Tag("slow")
  void shouldSaySoonThatTheDiskIsFull() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(
        runs("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", disk.toString()),
        "SKIPPED: no small disk can be made; run as root, where mounting is allowed");
    try (DemoProcess demo =
        new DemoProcess(
            folder, List.of(), "--data", disk.toString(), "--rate", "1.5M", "--no-questdb")) {
      demo.awaitPackets();
      assertThat(demo.output()).contains("warning: " + disk + " is in memory (tmpfs)");
      demo.awaitEnd("KafkaBroker");
      requireSaidSoon(demo, "flowstone: the broker ended because there is no room left");
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(FAILED);
      assertThat(demo.output()).doesNotContain("\tat ");
      demo.requireNoRingLeft();
    } finally {
      runs("umount", "--lazy", disk.toString());
    }
  }

  @Test
  @Tag("slow")
  void shouldKeepWhatArrivedUntilCtrlC() throws Exception {
    Instant begin = Instant.now();
    try (DemoProcess demo = new DemoProcess(folder, List.of(), "--seconds", "1", "--keep")) {
      demo.awaitWords("All stays up until Ctrl-C");
      List<PacketBatchHeader> batches = batches(new KafkaTopic(demo.bootstrapServers(), "packets"));
      assertThat(batches.stream().mapToLong(PacketBatchHeader::count).sum())
          .isPositive()
          .isEqualTo(demo.report().get("consumed").asLong());
      assertThat(Instant.EPOCH.plusNanos(batches.getFirst().timeBaseNs()))
          .as("of today")
          .isCloseTo(begin, within(Duration.ofMinutes(5)));
      demo.interrupt();
      assertThat(demo.awaitExit()).as(demo.output()).isEqualTo(STOPPED_BY_CTRL_C);
      demo.requireNothingLeft();
    }
  }

  private static List<PacketBatchHeader> batches(KafkaTopic topic) throws InterruptedException {
    List<PacketBatchHeader> batches = new ArrayList<>();
    PacketBatchDecoder decoder = new PacketBatchDecoder();
    CommittedMessages.readAll(
        topic, READ_LIMIT, message -> batches.add(decoder.readHeader(message.value())));
    return batches;
  }

  private static void requireSaidSoon(DemoProcess demo, String words) throws Exception {
    long beginNs = System.nanoTime();
    demo.awaitWords(words);
    assertThat(Duration.ofNanos(System.nanoTime() - beginNs)).isLessThan(SOON);
  }

  private static boolean runs(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }
}
