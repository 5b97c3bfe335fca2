// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Real JVMs that end in every way that a JVM can end. */
@Timeout(60)
class ChildProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private ChildProcess start(String... arguments) throws Exception {
    JavaProgram program =
        JavaProgram.of("child", TestProgram.class.getName(), List.of(arguments))
            .withJvmOptions("-Xmx32m", "-XX:+UseSerialGC");
    return ChildProcess.start(program, ChildOutput.gatheredIn(folder));
  }

  private ChildProcess ended(String... arguments) throws Exception {
    ChildProcess child = start(arguments);
    assertThat(child.awaitEnd(LIMIT)).as("ends by itself").isTrue();
    return child;
  }

  @Test
  void shouldGiveArgumentsAndGatherWhatIsSaid() throws Exception {
    try (ChildProcess child = ended("say", "hello there")) {
      child.requireSuccess(LIMIT);
      assertThat(child.output()).isEqualToIgnoringNewLines("hello there");
    }
  }

  @Test
  void shouldRepeatTheProgramsOwnWords() throws Exception {
    try (ChildProcess child = ended("fail", "flowstone: no such port")) {
      assertThat(child.end()).isEqualTo(new ProcessEnd(TestProgram.FAILED));
      assertThatThrownBy(child::requireNoFailure).hasMessage("the child failed: no such port");
    }
  }

  @Test
  void shouldEndWithItsMainThreadsFailureAndNameIt() throws Exception {
    try (ChildProcess child = ended("throw")) {
      assertThat(child.explainEnd())
          .isEqualTo("the child failed: java.io.IOException: the root of it");
    }
  }

  @Test
  void shouldNameTheStatusOfOneThatSaysNothing() throws Exception {
    try (ChildProcess child = ended("fail", "")) {
      assertThat(child.explainEnd())
          .isEqualTo("the child ended with exit status 3 and said nothing");
    }
  }

  @Test
  void shouldNameTheSignalOfAKill() throws Exception {
    try (ChildProcess child = start("sleep")) {
      child.requireRunning();
      child.kill();
      assertThatThrownBy(child::requireRunning)
          .hasMessageMatching("the child ended with SIGKILL \\(.*memory ran out.*\\).*")
          .isInstanceOfSatisfying(
              ChildEndedException.class, e -> assertThat(e.hasSaidWhy()).isFalse());
    }
  }

  /** As when a file that it has mapped is cut short. */
  @Test
  void shouldNameTheSignalBehindACrash() throws Exception {
    try (ChildProcess child = start("sleep")) {
      awaitOutput(child);
      child.send(Signal.BUS);
      assertThat(child.awaitEnd(LIMIT)).isTrue();
      assertThat(child.explainEnd())
          .matches("the child crashed: SIGBUS \\(.*cut short.*\\) in \\S.*; see .*child.crash");
    }
  }

  @Test
  void shouldNameAFullHeap() throws Exception {
    try (ChildProcess child = ended("fill")) {
      assertThat(child.explainEnd()).contains("java.lang.OutOfMemoryError: Java heap space");
    }
  }

  @Test
  void shouldEndWithAParentThatIsKilled() throws Exception {
    try (ChildProcess parent = start("parent", folder.toString())) {
      awaitOutput(parent);
      long pid = Long.parseLong(parent.output().strip());
      ProcessHandle grandchild = ProcessHandle.of(pid).orElseThrow();
      assertThat(grandchild.isAlive()).isTrue();
      parent.kill();
      assertThat(grandchild.onExit()).succeedsWithin(LIMIT);
    }
  }

  @Test
  void shouldAnswerItsParent() throws Exception {
    JavaProgram program = JavaProgram.of("echo", TestProgram.class.getName(), List.of("echo"));
    try (ChildProcess child = ChildProcess.start(program, ChildOutput.answeringBeside(folder))) {
      child.input().write("question\n".getBytes(StandardCharsets.US_ASCII));
      child.input().close();
      assertThat(child.answers().readLine()).isEqualTo("question");
      child.requireSuccess(LIMIT);
    }
  }

  @Test
  void shouldPutOtherClassesBeforeItsOwn() throws Exception {
    Files.writeString(folder.resolve("text"), "first");
    JavaProgram program =
        JavaProgram.of("child", TestProgram.class.getName(), List.of("resource", "text"))
            .withFirst(List.of(folder));
    try (ChildProcess child = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      child.requireSuccess(LIMIT);
      assertThat(child.output()).isEqualToIgnoringNewLines("first");
    }
  }

  @Test
  void shouldGiveItsChildrenTheOptionsOfTheEnvironment() throws Exception {
    JavaProgram program =
        JavaProgram.of(
                "child",
                TestProgram.class.getName(),
                List.of("property of a child", folder.toString(), "color"))
            .withLauncher("env", "FLOWSTONE_CHILD_JVM_OPTIONS=-Xmx32m -Dcolor=blue");
    try (ChildProcess child = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      child.requireSuccess(LIMIT);
      assertThat(child.output()).isEqualToIgnoringNewLines("blue");
    }
  }

  /** An archive of another JDK, for example. */
  @Test
  void shouldIgnoreAnArchiveThatDoesNotMatch() throws Exception {
    Path jar = folder.resolve("empty.jar");
    new JarOutputStream(Files.newOutputStream(jar), new Manifest()).close();
    Files.writeString(folder.resolve("empty.jsa"), "of another JDK");
    JavaProgram program =
        JavaProgram.of("child", TestProgram.class.getName(), List.of("say", "hello"))
            .withFirst(List.of(jar))
            .withJvmOptions("-Xlog:disable", "-Xlog:all=warning:stderr");
    try (ChildProcess child = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      child.requireSuccess(LIMIT);
      assertThat(child.output()).isEqualToIgnoringNewLines("hello");
      assertThat(child.errors()).isEmpty();
    }
  }

  private static void awaitOutput(ChildProcess child) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!child.output().endsWith("\n")) {
      child.requireRunning();
      assertThat(System.nanoTime()).as("says something").isLessThan(deadlineNs);
      Thread.sleep(10);
    }
  }
}
