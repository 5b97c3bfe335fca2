// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.tap.IpCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sender and receiver in networks of their own, with a cable between them. Needs root; skips
 * without.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TwoHostsTest {
  private static final Duration LIMIT = Duration.ofSeconds(40);
  private static final long POLL_MS = 10;
  private static final int RINGS = 2;
  private static final int SLOTS_LOG2 = 18;
  private static final int JUMBO = 9000;
  private static final int RELAY_PORT = 9401;
  private static final int PORT = 9402;

  /** The sender's rings hold the packets of about five seconds. */
  private static final int PACKETS_AT_A_TIME = 1000;

  /** More than are in flight, so that they arrive only if sender and receiver are running. */
  private static final long SOME_PACKETS = 20_000;

  @TempDir Path folder;

  private ChildProcess send(TwoHosts hosts, int port, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of("--rings", sent().toString(), "--to", TwoHosts.RECEIVER + ":" + port));
    arguments.addAll(List.of("--rate", "200k"));
    arguments.addAll(List.of("--bounded", "--report", folder.resolve("sent.json").toString()));
    arguments.addAll(List.of(more));
    return hosts.send(arguments.toArray(String[]::new));
  }

  private ChildProcess receive(TwoHosts hosts, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("--rings", received().path().toString()));
    arguments.addAll(List.of("--listen", "0.0.0.0:" + PORT, "--ring-bytes", "32m", "--hold", "0s"));
    arguments.addAll(List.of("--report", folder.resolve("received.json").toString()));
    arguments.addAll(List.of(more));
    ChildProcess receiver = hosts.receive(arguments.toArray(String[]::new));
    await(receiver, "waits for a sender");
    return receiver;
  }

  private Path sent() {
    return folder.resolve("sent");
  }

  private RingDirectory received() {
    return new RingDirectory(folder.resolve("received"));
  }

  private static void await(ChildProcess process, String words) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!process.errors().contains(words)) {
      assertThat(System.nanoTime()).as("until: %s", words).isLessThan(deadlineNs);
      process.requireRunning();
      Thread.sleep(POLL_MS);
    }
  }

  private static void requireEnd(ChildProcess process) throws Exception {
    assertThat(process.awaitEnd(LIMIT)).as("it ends: %s", process.errors()).isTrue();
    assertThat(process.end().status()).as(process.errors()).isZero();
  }

  private JsonNode report(String file) throws IOException {
    return new ObjectMapper().readTree(folder.resolve(file).toFile());
  }

  private static void writeAndRead(NumberedTap tap, NumberedRings job) throws InterruptedException {
    tap.write(PACKETS_AT_A_TIME, 1000);
    job.read(RINGS);
    Thread.sleep(POLL_MS);
  }

  /**
   * Writes and reads until some more packets have arrived at the job, which a former receiver may
   * have left some.
   */
  private static void carrySome(NumberedTap tap, NumberedRings job, ChildProcess receiver)
      throws Exception {
    job.read(RINGS);
    long enough = job.packets() + SOME_PACKETS;
    while (job.packets() < enough) {
      receiver.requireRunning();
      writeAndRead(tap, job);
    }
  }

  /** Writes and reads until the sender has sent some more packets of every ring. */
  private static void sendSome(NumberedTap tap, NumberedRings job) throws Exception {
    for (int ring = 0; ring < RINGS; ring++) {
      try (RingFile file = RingFile.open(tap.directory.ringFile(ring))) {
        long enough = sentPosition(file) + SOME_PACKETS / RINGS;
        while (sentPosition(file) < enough) {
          writeAndRead(tap, job);
        }
      }
    }
  }

  private static long sentPosition(RingFile file) {
    return file.lanes().occupants().getFirst().releasedPosition();
  }

  private NumberedRings startJob(NumberedTap tap) throws InterruptedException {
    while (received().ringFiles().size() < RINGS) {
      Thread.sleep(POLL_MS);
    }
    NumberedRings job = new NumberedRings(received(), tap);
    job.read(RINGS);
    return job;
  }

  /** By default, ForwardReceiveTest and LossyPathPropertyTest prove that nothing is lost. */
  @Test
  @Tag("slow")
  void shouldLoseNothingOnAGoodCable() throws Exception {
    try (TwoHosts hosts = TwoHosts.make(folder, JUMBO);
        NumberedTap tap = new NumberedTap(sent(), RINGS, SLOTS_LOG2)) {
      ChildProcess receiver = receive(hosts);
      ChildProcess sender = send(hosts, PORT);
      try (NumberedRings job = startJob(tap)) {
        carrySome(tap, job, receiver);
        tap.loseBeforeTap(77);
        carrySome(tap, job, receiver);
        tap.end();
        requireEnd(sender);
        requireEnd(receiver);
        job.read(RINGS);
        assertThat(job.packets()).as(receiver.errors()).isEqualTo(tap.offeredPackets());
        assertThat(job.lost()).isEqualTo(77);
      }
      assertThat(receiver.errors()).contains("77 were lost before that: before_tap 77");
      assertThat(report("received.json").get("rings").get(0).get("lost").get("before_tap").asInt())
          .isEqualTo(77);
    }
  }

  /** What is not there is told. */
  @Test
  void shouldAccountForEachPacketOnABadCableThoughTapAndBothEndsAreStartedAgain() throws Exception {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("TwoHostsTest: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    try (TwoHosts hosts = TwoHosts.make(folder, JUMBO);
        NumberedTap tap = new NumberedTap(sent(), RINGS, SLOTS_LOG2)) {
      ChildProcess receiver = receive(hosts);
      ChildProcess relay = hosts.relay("" + RELAY_PORT, "" + PORT, "" + seed, "100", "100", "20");
      await(relay, "passes on");
      ChildProcess sender = send(hosts, RELAY_PORT);
      try (NumberedRings job = startJob(tap)) {
        carrySome(tap, job, receiver);
        sender.kill();
        writeAndRead(tap, job);
        sender = send(hosts, RELAY_PORT);
        carrySome(tap, job, receiver);
        receiver.kill();
        sendSome(tap, job);
        receiver = receive(hosts);
        carrySome(tap, job, receiver);
        tap.dieAndStartAgain();
        carrySome(tap, job, receiver);
        receiver.stop(LIMIT);
        receiver = receive(hosts);
        carrySome(tap, job, receiver);
        tap.end();
        requireEnd(sender);
        requireEnd(receiver);
        job.read(RINGS);
        relay.input().close();
        requireEnd(relay);
        assertThat(job.packets() + job.lost())
            .as("packets and losses; relay %s, receiver %s", relay.errors(), receiver.errors())
            .isEqualTo(tap.offeredPackets());
        assertThat(job.lost()).isPositive();
        // The restarts alone would lose packets, too.
        assertThat(relay.errors())
            .as("what the bad cable did, each more than never")
            .containsPattern("passed \\d+ lost [1-9]\\d* doubled [1-9]\\d* overtaken [1-9]\\d*");
      }
      JsonNode refused = report("received.json").get("refused");
      assertThat(refused.get("duplicate").asLong()).as(receiver.errors()).isPositive();
      assertThat(refused.get("checksum").asLong() + refused.get("content").asLong()).isZero();
    }
  }

  @Test
  void shouldTellWhatTheKernelDroppedOfAReceiverThatStoodStill() throws Exception {
    try (TwoHosts hosts = TwoHosts.make(folder, JUMBO);
        NumberedTap tap = new NumberedTap(sent(), RINGS, SLOTS_LOG2)) {
      ChildProcess receiver = receive(hosts, "--socket-bytes", "64k");
      ChildProcess sender = send(hosts, PORT);
      try (NumberedRings job = startJob(tap)) {
        carrySome(tap, job, receiver);
        signal(receiver, "STOP");
        sendSome(tap, job);
        signal(receiver, "CONT");
        carrySome(tap, job, receiver);
        tap.end();
        requireEnd(sender);
        requireEnd(receiver);
        job.read(RINGS);
        assertThat(job.lost()).as(receiver.errors()).isPositive();
        assertThat(job.packets() + job.lost()).isEqualTo(tap.offeredPackets());
      }
      assertThat(receiver.errors()).contains("socket buffer 64 KiB").contains("network ");
    }
  }

  private static void signal(ChildProcess process, String name) throws Exception {
    IpCommand.require("kill", "-" + name, "" + process.handle().pid());
  }

  @Test
  void shouldSayAndCountWhatThePathWouldCutUp() throws Exception {
    try (TwoHosts hosts = TwoHosts.make(folder, JUMBO);
        NumberedTap tap = new NumberedTap(sent(), RINGS, SLOTS_LOG2)) {
      ChildProcess receiver = receive(hosts);
      ChildProcess sender = send(hosts, PORT);
      try (NumberedRings job = startJob(tap)) {
        carrySome(tap, job, receiver);
        hosts.narrowPath(1500);
        while (!sender.errors().contains("Message too long")) {
          writeAndRead(tap, job);
        }
        hosts.narrowPath(JUMBO);
        carrySome(tap, job, receiver);
        tap.end();
        requireEnd(sender);
        requireEnd(receiver);
        job.read(RINGS);
        assertThat(job.lost()).as(sender.errors()).isPositive();
        assertThat(job.packets() + job.lost()).isEqualTo(tap.offeredPackets());
      }
      assertThat(sender.errors())
          .contains(
              "to 192.0.2.2:9402: Message too long; packets are lost until that is mended. Where"
                  + " datagrams are too long for the path, --mtu makes them shorter");
      assertThat(report("sent.json").get("unsent_datagrams").asLong()).isPositive();
    }
  }

  @Test
  void shouldNotSendWhatTheInterfaceWouldCutUp() throws Exception {
    try (TwoHosts hosts = TwoHosts.make(folder, 1500);
        NumberedTap tap = new NumberedTap(sent(), RINGS, SLOTS_LOG2)) {
      ChildProcess refused = send(hosts, PORT);
      assertThat(refused.awaitEnd(LIMIT)).isTrue();
      assertThat(refused.end().status()).isEqualTo(2);
      assertThat(refused.errors())
          .contains(
              "packets to 192.0.2.2:9402 leave by sends0, whose MTU is 1500: datagrams for an MTU of"
                  + " 9000 would be cut up; --mtu 1500, or ip link set sends0 mtu 9000 at both ends");
      try (RingFile ring = RingFile.open(tap.directory.ringFile(0))) {
        assertThat(ring.lanes().occupants()).as("it has touched no ring").isEmpty();
      }
    }
  }

  @Test
  @Tag("slow")
  void shouldSendShorterDatagramsForASmallerMtu() throws Exception {
    try (TwoHosts hosts = TwoHosts.make(folder, 1500);
        NumberedTap tap = new NumberedTap(sent(), RINGS, SLOTS_LOG2)) {
      ChildProcess receiver = receive(hosts);
      ChildProcess sender = send(hosts, PORT, "--mtu", "1500");
      try (NumberedRings job = startJob(tap)) {
        carrySome(tap, job, receiver);
        tap.end();
        requireEnd(sender);
        requireEnd(receiver);
        job.read(RINGS);
        assertThat(job.packets()).isEqualTo(tap.offeredPackets());
      }
      assertThat(sender.errors()).contains("datagrams of up to 21 packets (1,472 bytes)");
    }
  }
}
