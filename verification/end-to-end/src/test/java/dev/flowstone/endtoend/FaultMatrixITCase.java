// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.harness.CommittedMessages;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.questdb.process.QuestDbProcess;
import dev.flowstone.testbed.faults.MortalBroker;
import dev.flowstone.testbed.faults.MortalProcess;
import dev.flowstone.testbed.faults.MortalTap;
import dev.flowstone.testbed.faults.SmallDisk;
import dev.flowstone.testbed.kafka.QuestDbTables;
import dev.flowstone.testbed.programs.Programs;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.flink.util.IOUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A tap, a job, a broker, a QuestDB and a page as a site has them, and 33 faults in eight minutes,
 * in random order and at random moments. In the end each packet that was offered is in Kafka by
 * itself or in a result, or is reported there as lost, and QuestDB has the same results.
 */
@Tag("undisturbed")
@Tag("slow")
class FaultMatrixITCase {
  private static final int RATE = 300_000;
  private static final String RING_BYTES = "256m";
  private static final String STATE_BYTES = "1g";
  private static final String BROKER_BYTES = "3g";
  private static final Duration FROZEN = Duration.ofSeconds(15);
  private static final Duration FULL = Duration.ofSeconds(15);
  private static final Duration AWAY = Duration.ofSeconds(3);
  private static final int MOST_CALM_MS = 4_000;
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Duration LIMIT = Duration.ofMinutes(5);

  /** Of the job, after the tap has ended: it may end because of the last faults. */
  private static final int MOST_ENDS = 3;

  /** Each packet is in one of Kafka's two topics, or counted in one result. */
  private static final String RULES =
      """
      rules:
        - {name: records, priority: 3, match: {protocol: udp}, function: {aggregate: {active_timeout: 10s, idle_timeout: 3s}}}
        - {name: sizes, priority: 2, match: {protocol: icmp}, function: {histogram: {of: [packet_size], interval: 2s}}}
        - {name: web, priority: 1, match: {destination_port: 443}, topic: web, function: pass}
      """;

  private static final List<String> PACKET_TOPICS = List.of("packets", "web");
  private static final String RESULTS = "results";

  /** A fault, and its name in the output. */
  private record Fault(String name, Strike strike) {}

  @FunctionalInterface
  private interface Strike {
    void meet() throws Exception;
  }

  @TempDir private Path folder;
  private ScratchFolder rings;
  private SmallDisk stateDisk;
  private SmallDisk brokerDisk;
  private MortalBroker broker;
  private QuestDbProcess questDb;
  private int webPort;
  private MortalTap tap;
  private ChildProcess job;
  private int jobs;
  private ChildProcess page;
  private Map<String, MortalProcess> processes;

  @BeforeEach
  void start() throws Exception {
    rings = ScratchFolder.inMemory("fault-matrix");
    brokerDisk = SmallDisk.mount(folder.resolve("kafka"), BROKER_BYTES);
    broker = MortalBroker.start(brokerDisk.path());
    questDb = QuestDbProcess.start(folder.resolve("questdb"), QuestDbProcess.ANY_PORT);
    stateDisk = SmallDisk.mount(folder.resolve("state"), STATE_BYTES);
    for (String topic : List.of("packets", "web", RESULTS)) {
      topic(topic).create(MortalTap.RING_COUNT);
    }
    webPort = LoopbackPorts.claimFree();
    tap = new MortalTap(folder, rings.path(), traffic());
    processes =
        new TreeMap<>(
            Map.of(
                "tap",
                tap,
                "job",
                mortal(() -> job.handle(), this::startJob),
                "broker",
                broker,
                "QuestDB",
                mortal(() -> questDb.handle(), this::startQuestDbAgain),
                "page",
                mortal(() -> page.handle(), this::startPage)));
    tap.start();
    startJob();
    startPage();
  }

  @AfterEach
  void stop() throws Exception {
    IOUtils.closeAll(page, job, tap, questDb, broker, stateDisk, brokerDisk, rings);
  }

  private static List<String> traffic() {
    return List.of(
        "synthetic",
        "--preset",
        "syn-flood",
        "--rate",
        "" + RATE,
        // The traffic of a tap that starts again is not the same once more.
        "--start",
        "now",
        "--ring-bytes",
        RING_BYTES,
        "--stop-on-stdin-end");
  }

  private static MortalProcess mortal(Supplier<ProcessHandle> process, Strike startAgain) {
    return new MortalProcess() {
      @Override
      public ProcessHandle handle() {
        return process.get();
      }

      @Override
      public void startAgain() throws Exception {
        startAgain.meet();
      }
    };
  }

  private KafkaTopic topic(String name) {
    return new KafkaTopic(broker.bootstrapServers(), name);
  }

  private void startJob() throws Exception {
    if (job != null) {
      job.close();
    }
    job =
        ChildProcess.start(
            Programs.of(
                    folder,
                    "job-" + ++jobs,
                    "dev.flowstone.deployment.job.JobCommand",
                    List.of(
                        "platform",
                        "--rings",
                        rings.path().toString(),
                        "--bounded",
                        "--bootstrap-servers",
                        broker.bootstrapServers(),
                        "--topic",
                        "packets",
                        "--results-topic",
                        RESULTS,
                        "--questdb",
                        questDb.address().toString(),
                        "--rules",
                        Files.writeString(folder.resolve("rules.yaml"), RULES).toString(),
                        "--checkpoint-interval",
                        "2 s",
                        "--parallelism",
                        "" + MortalTap.RING_COUNT,
                        "--web-port",
                        "" + webPort))
                .withLauncher("env", "FLOWSTONE_STATE=" + stateDisk.path())
                .withJvmOptions(
                    "-Dflowstone.home=" + ProjectRoot.find(), "-Xmx1g", "-XX:+UseParallelGC"),
            ChildOutput.gatheredIn(folder));
  }

  private void startQuestDbAgain() throws Exception {
    questDb = QuestDbProcess.start(folder.resolve("questdb"), questDb.port());
  }

  private void startPage() throws Exception {
    if (page != null) {
      page.close();
    }
    page =
        ChildProcess.start(
            Programs.of(
                    folder,
                    "page",
                    "dev.flowstone.monitoring.page.PageCommand",
                    List.of("--port", "0", "--flink", "http://127.0.0.1:" + webPort))
                .withJvmOptions("-Xmx256m", "-XX:TieredStopAtLevel=1"),
            ChildOutput.gatheredIn(folder));
  }

  @Test
  @Timeout(1800)
  void shouldAccountForEveryPacketWhateverHappens() throws Exception {
    long seed = Long.getLong("flowstone.seed", System.nanoTime());
    System.out.println("FaultMatrixITCase: seed " + seed + "; again with -Dflowstone.seed=" + seed);
    Random random = new Random(seed);
    List<Fault> faults = new ArrayList<>(faults());
    Collections.shuffle(faults, random);
    // Packets before the first checkpoint are not lost: no job has asked for them.
    awaitFirstCommit();
    long beginNs = System.nanoTime();
    for (Fault fault : faults) {
      Thread.sleep(random.nextInt(MOST_CALM_MS));
      say(beginNs, fault.name());
      fault.strike().meet();
      startAgainWhatEnded(beginNs);
    }
    processes.remove("tap");
    tap.end();
    say(beginNs, "the tap has ended");
    awaitJob(beginNs);
    hold();
  }

  private void awaitFirstCommit() throws Exception {
    try (CommittedMessages committed = new CommittedMessages(topic("packets"))) {
      long deadlineNs = System.nanoTime() + LIMIT.toNanos();
      while (committed.committedEnds().values().stream().allMatch(end -> end == 0)) {
        assertThat(System.nanoTime() - deadlineNs).as(Programs.said(job)).isNegative();
        Thread.sleep(LOOK);
      }
    }
  }

  private static void say(long beginNs, String what) {
    System.out.printf(
        "FaultMatrixITCase: %,6.1f s: %s%n", (System.nanoTime() - beginNs) / 1e9, what);
  }

  private List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    Map<String, Integer> kills = Map.of("tap", 3, "job", 3, "broker", 2, "QuestDB", 3, "page", 2);
    Map<String, Integer> freezes = Map.of("tap", 3, "job", 3, "broker", 3, "QuestDB", 3, "page", 2);
    processes.forEach(
        (name, process) -> {
          add(faults, kills.get(name), "SIGKILL of the " + name, process::kill);
          add(faults, freezes.get(name), "SIGSTOP of the " + name, () -> process.freeze(FROZEN));
        });
    add(faults, 3, "full disk of the job", () -> fill(stateDisk));
    add(faults, 3, "full disk of the broker", () -> fill(brokerDisk));
    return faults;
  }

  private static void add(List<Fault> faults, int times, String name, Strike strike) {
    faults.addAll(Collections.nCopies(times, new Fault(name, strike)));
  }

  private static void fill(SmallDisk disk) throws Exception {
    long endNs = System.nanoTime() + FULL.toNanos();
    disk.stayFullUntil(() -> System.nanoTime() > endNs);
    disk.free();
  }

  private void startAgainWhatEnded(long beginNs) throws Exception {
    boolean awaited = false;
    for (Map.Entry<String, MortalProcess> each : processes.entrySet()) {
      if (!each.getValue().handle().isAlive()) {
        if (!awaited) {
          Thread.sleep(AWAY);
          awaited = true;
        }
        each.getValue().startAgain();
        say(beginNs, "  started again: " + each.getKey());
      }
    }
  }

  private void awaitJob(long beginNs) throws Exception {
    for (int ends = 1; ; ends++) {
      assertThat(job.awaitEnd(LIMIT)).as(Programs.said(job)).isTrue();
      if (job.end().isSuccess()) {
        say(beginNs, "the job has ended");
        return;
      }
      say(beginNs, "the job failed: " + job.errors());
      assertThat(ends).as(Programs.said(job)).isLessThan(MOST_ENDS);
      startAgainWhatEnded(beginNs);
    }
  }

  private void hold() throws Exception {
    long[] packets = new long[1];
    long[] lost = new long[1];
    PacketBatchDecoder decoder = new PacketBatchDecoder();
    for (String name : PACKET_TOPICS) {
      CommittedMessages.readAll(
          topic(name),
          LIMIT,
          message -> {
            PacketBatchHeader header = decoder.readHeader(message.value());
            packets[0] += header.count();
            lost[0] += header.lossBefore().inRing();
          });
    }
    Map<String, Sum> results = results();
    long inResults = results.values().stream().mapToLong(sum -> sum.packets).sum();
    long offered = tap.offered().values().stream().mapToLong(Long::longValue).sum();
    System.out.printf(
        "FaultMatrixITCase: offered %,d = %,d in Kafka + %,d in results %s + %,d lost; difference %,d%n",
        offered,
        packets[0],
        inResults,
        results,
        lost[0],
        offered - packets[0] - inResults - lost[0]);
    assertThat(packets[0] + inResults + lost[0]).as("delivered + lost").isEqualTo(offered);
    assertThat(lost[0]).as("lost by the rings' own books").isGreaterThanOrEqualTo(tap.dropped());
    for (Map.Entry<String, Sum> kind : results.entrySet()) {
      assertThat(inQuestDb(kind.getKey()))
          .as("QuestDB's %s", kind.getKey())
          .isEqualTo(kind.getValue().toString());
    }
    assertThat(results).containsKeys("flow_record", "histogram");
  }

  /** Results of one kind, and the packets that they tell of. */
  private static final class Sum {
    long results;
    long packets;

    @Override
    public String toString() {
      return results + "," + packets;
    }
  }

  private Map<String, Sum> results() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    Map<String, Sum> kinds = new TreeMap<>();
    CommittedMessages.readAll(
        topic(RESULTS),
        LIMIT,
        message -> {
          JsonNode result = read(mapper, message.value());
          String kind = result.get("kind").asText();
          if (!kind.equals("stage")) {
            Sum sum = kinds.computeIfAbsent(kind, _ -> new Sum());
            sum.results++;
            sum.packets += result.get("packets").asLong();
          }
        });
    return kinds;
  }

  private static JsonNode read(ObjectMapper mapper, byte[] result) {
    try {
      return mapper.readTree(result);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String inQuestDb(String kind) throws Exception {
    try (QuestDbTables tables = new QuestDbTables(questDb.address())) {
      tables.awaitAllRows(kind);
      return tables.ask("SELECT count(), sum(packets) FROM " + kind).getFirst().replace("\"", "");
    }
  }
}
