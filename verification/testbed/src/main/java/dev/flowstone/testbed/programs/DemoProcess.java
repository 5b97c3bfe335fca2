// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.JavaProgram;
import dev.flowstone.processes.Signal;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The demo as a process, watched for what it starts and leaves. Its maker closes it. */
public final class DemoProcess implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(150);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
  private static final long POLL_INTERVAL_MS = 50;

  /** For short runs: to compile well takes longer than it saves. */
  private static final String FAST_START = "-XX:TieredStopAtLevel=1";

  private static final String BEGINS = "-> rings -> Flink -> Kafka";
  private static final String TRAFFIC_BEGINS = "Ctrl-C ends the traffic";
  private static final String PACKETS_COUNTED = "| consumer ";
  private static final Pattern FLOOD = Pattern.compile("alert .*opened +syn_flood");
  private static final Pattern PORT = Pattern.compile("(?:localhost|127\\.0\\.0\\.1):(\\d+)");

  private static final Pattern WEB_URL = Pattern.compile("Flink +(http://localhost:\\d+)");
  private static final Pattern PAGE_URL = Pattern.compile("Page +(http://localhost:\\d+)");
  private static final Pattern QUESTDB_URL = Pattern.compile("QuestDB +(http://\\S+)");
  private static final Pattern BOOTSTRAP = Pattern.compile("bootstrap.servers +(\\S+)");

  private final Path temporary;
  private final Path state;
  private final Path report;
  private final ChildProcess process;
  private final Map<Long, ProcessHandle> started = new HashMap<>();

  /**
   * @param firstOnClassPath classes that stand in for the demo's own; none when empty
   */
  public DemoProcess(Path folder, List<Path> firstOnClassPath, String... arguments)
      throws IOException {
    this(folder, program -> program.withFirst(firstOnClassPath), arguments);
  }

  /**
   * @param changed how the demo is started otherwise than usual
   */
  public DemoProcess(Path folder, UnaryOperator<JavaProgram> changed, String... arguments)
      throws IOException {
    temporary = Files.createDirectories(folder.resolve("temporary"));
    state = Programs.state(folder);
    report = folder.resolve("report.json");
    List<String> all =
        Stream.concat(
                Stream.of("--web-port", "0", "--page-port", "0", "--report", report.toString()),
                Stream.of(arguments))
            .toList();
    process =
        ChildProcess.start(
            changed
                .apply(
                    Programs.of(folder, "demo", "dev.flowstone.demo.DemoCommand", all)
                        // For its tap, broker and QuestDB.
                        .withLauncher(
                            "env",
                            "--default-signal=INT",
                            "FLOWSTONE_STATE=" + state,
                            "JDK_JAVA_OPTIONS=" + FAST_START))
                // Where its emulated card is, once ./flowstone has built it.
                .withJvmOptions("-Dflowstone.home=" + ProjectRoot.find())
                .withJvmOptions(
                    "-Xmx1g", "-XX:+UseParallelGC", FAST_START, "-Djava.io.tmpdir=" + temporary),
            ChildOutput.gatheredIn(folder));
  }

  /** Returns when traffic is about to flow. */
  public void awaitTraffic() throws Exception {
    awaitText(TRAFFIC_BEGINS);
  }

  /** Returns when packets went the whole way. */
  public void awaitPackets() throws Exception {
    awaitText(PACKETS_COUNTED);
  }

  /** Returns when it has said that none came. */
  public void awaitNoPackets() throws Exception {
    awaitText("no packet yet");
  }

  /** Returns when it has understood that it is to stop. */
  public void awaitStopping() throws Exception {
    awaitText("stopping, once the rest has arrived");
  }

  /** Returns when it begins to start tap, broker and Flink. */
  public void awaitBegin() throws Exception {
    awaitText(BEGINS);
  }

  /** Returns when it has said that, on standard output or as an error. */
  public void awaitWords(String words) throws Exception {
    awaitText(words);
  }

  /** Returns when the demo has found the flood in its own traffic, which begins after 10 s. */
  public void awaitFlood() throws Exception {
    await("alert of a SYN flood", () -> FLOOD.matcher(output()).find());
  }

  /** Returns when there is a child with that main class. */
  public void awaitChild(String mainClass) throws Exception {
    await("process " + mainClass, () -> findChild(mainClass).isPresent());
  }

  /** Returns when the tap has made its rings. */
  public void awaitRings() throws Exception {
    await("ring", () -> Files.exists(new RingDirectory(ringFolder()).ringFile(0)));
  }

  /** Returns when that child has ended. */
  public void awaitEnd(String program) throws Exception {
    child(program).onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  public String webUrl() throws IOException {
    return url(WEB_URL);
  }

  public String pageUrl() throws IOException {
    return url(PAGE_URL);
  }

  public URI questDb() throws IOException {
    return URI.create(url(QUESTDB_URL));
  }

  private String url(Pattern announced) throws IOException {
    Matcher url = announced.matcher(process.output());
    assertThat(url.find()).as(output()).isTrue();
    return url.group(1);
  }

  public String bootstrapServers() throws IOException {
    Matcher address = BOOTSTRAP.matcher(process.output());
    assertThat(address.find()).as(output()).isTrue();
    return address.group(1);
  }

  private void awaitText(String text) throws Exception {
    await(text, () -> output().contains(text));
  }

  private void await(String what, Callable<Boolean> condition) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      if (!process.isAlive() || System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("no " + what + ":\n" + output());
      }
      look();
    }
  }

  public ProcessTree tree() {
    return new ProcessTree(process.handle());
  }

  public void interrupt() throws Exception {
    process.send(Signal.INT);
  }

  /** Its tap neither answers nor ends any more. */
  public void suspendTap() throws Exception {
    new ProcessBuilder("kill", "-STOP", Long.toString(child("TapCommand").pid())).start().waitFor();
  }

  /** The child that runs this main class. */
  public ProcessHandle child(String mainClass) throws IOException {
    return findChild(mainClass)
        .orElseThrow(() -> new AssertionError("no " + mainClass + " below the demo"));
  }

  private Optional<ProcessHandle> findChild(String mainClass) throws IOException {
    for (ProcessHandle child : process.handle().descendants().toList()) {
      // ProcessHandle.Info leaves out long command lines.
      Path commandLine = Path.of("/proc", Long.toString(child.pid()), "cmdline");
      if (read(commandLine).contains(mainClass)) {
        return Optional.of(child);
      }
    }
    return Optional.empty();
  }

  private static String read(Path commandLine) throws IOException {
    try {
      return Files.readString(commandLine);
    } catch (NoSuchFileException ended) {
      return "";
    }
  }

  /** As when somebody truncates it: what is mapped there is gone for all that look. */
  public void cutRing() throws IOException {
    try (FileChannel ring =
        FileChannel.open(new RingDirectory(ringFolder()).ringFile(0), StandardOpenOption.WRITE)) {
      ring.truncate(RingFileHeaderLayout.HEADER_BYTES);
    }
  }

  Path ringFolder() {
    return Path.of("/dev/shm/flowstone-demo-" + process.handle().pid());
  }

  public int awaitExit() throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (process.isAlive() && System.nanoTime() - deadlineNs < 0) {
      look();
    }
    return Programs.awaitStatus(process, Duration.ofSeconds(1));
  }

  private void look() throws InterruptedException {
    process.handle().descendants().forEach(handle -> started.put(handle.pid(), handle));
    Thread.sleep(POLL_INTERVAL_MS);
  }

  public JsonNode report() throws IOException {
    return new ObjectMapper().readTree(report.toFile());
  }

  public String output() throws IOException {
    return Programs.said(process);
  }

  /** No process, no port that it named, no ring and no file is left. */
  public void requireNothingLeft() throws IOException {
    requireNothingLeft(4);
  }

  /**
   * The same.
   *
   * @param servers page, Flink, Kafka and, unless it is to do without, QuestDB
   */
  public void requireNothingLeft(int servers) throws IOException {
    assertThat(started).as("a tap and a broker").hasSizeGreaterThanOrEqualTo(2);
    List<Integer> ports =
        PORT.matcher(process.output())
            .results()
            .map(m -> Integer.valueOf(m.group(1)))
            .distinct()
            .toList();
    assertThat(ports).as("of servers").hasSize(servers).allSatisfy(DemoProcess::requireClosed);
    requireNoRingLeft();
    assertThat(temporary).isEmptyDirectory();
    assertThat(state.resolve("demo.json")).doesNotExist();
  }

  public void requireNoRingLeft() {
    started.values().forEach(DemoProcess::awaitGone);
    assertThat(ringFolder()).doesNotExist();
  }

  /** What was killed goes when the kernel has taken its memory back, a gibibyte at times. */
  private static void awaitGone(ProcessHandle process) {
    assertThat(process.onExit()).as("%s", process.info()).succeedsWithin(KILL_LIMIT);
  }

  private static void requireClosed(int port) {
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(ConnectException.class);
  }

  /** Whatever went wrong, no process of it stays. */
  @Override
  public void close() {
    process.close();
    started.values().forEach(ProcessHandle::destroyForcibly);
  }
}
