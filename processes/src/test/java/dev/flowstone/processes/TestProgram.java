// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A child's program: does what its first argument says. */
final class TestProgram {
  static final int FAILED = 3;
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration WHILE = Duration.ofSeconds(3);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final int PIECE_BYTES = 1 << 20;

  private TestProgram() {}

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "say" -> System.out.println(arguments[1]);
      case "fail" -> fail(arguments[1]);
      case "throw" -> throwBesideAThread();
      case "sleep" -> sleep();
      case "fill" -> fill();
      case "fill-for-a-while" -> {
        fillForAWhile();
        sleep();
      }
      case "parent" -> beParent(Path.of(arguments[1]), arguments[2]);
      case "echo" -> System.in.transferTo(System.out);
      case "resource" -> print(arguments[1]);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static void fail(String said) {
    System.err.println(said);
    System.exit(FAILED);
  }

  private static void throwBesideAThread() {
    Thread.ofPlatform().start(() -> LockSupport.parkNanos(LONG.toNanos()));
    throw new UncheckedIOException("wrapped", new IOException("the root of it"));
  }

  private static void sleep() throws InterruptedException {
    System.out.println("asleep");
    Thread.sleep(LONG);
  }

  private static void fill() {
    List<byte[]> pieces = new ArrayList<>();
    while (!pieces.contains(null)) {
      pieces.add(new byte[PIECE_BYTES]);
    }
  }

  /** To the last byte, so that other threads find none either. */
  private static void fillForAWhile() {
    Object[] chain = filled(new Object[1]);
    long fullSinceNs = System.nanoTime();
    while (System.nanoTime() - fullSinceNs < WHILE.toNanos()) {
      chain = filled(chain);
    }
  }

  private static Object[] filled(Object[] chain) {
    Object[] last = chain;
    try {
      while (true) {
        last = new Object[] {last};
      }
    } catch (OutOfMemoryError full) {
      return last;
    }
  }

  private static void beParent(Path folder, String childDoes) throws Exception {
    JavaProgram program =
        JavaProgram.of("grandchild", TestProgram.class.getName(), List.of(childDoes))
            .withJvmOptions("-Xmx32m", "-XX:+UseSerialGC");
    try (ChildProcess child = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      while (child.output().isEmpty()) {
        child.requireRunning();
        Thread.sleep(LOOK);
      }
      System.out.println(child.handle().pid());
      Thread.sleep(LONG);
    }
  }

  private static void print(String resource) throws IOException {
    TestProgram.class.getClassLoader().getResourceAsStream(resource).transferTo(System.out);
  }
}
