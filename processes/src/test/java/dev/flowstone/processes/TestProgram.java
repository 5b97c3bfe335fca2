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
  private static final int PIECE_BYTES = 1 << 20;

  private TestProgram() {}

  public static void main(String[] arguments) throws Exception {
    switch (arguments[0]) {
      case "say" -> System.out.println(arguments[1]);
      case "fail" -> fail(arguments[1]);
      case "throw" -> throwBesideAThread();
      case "sleep" -> sleep();
      case "fill" -> fill();
      case "parent" -> beParent(Path.of(arguments[1]));
      case "echo" -> System.in.transferTo(System.out);
      case "resource" -> print(arguments[1]);
      case "property" -> System.out.println(System.getProperty(arguments[1]));
      case "property of a child" -> printChildsProperty(Path.of(arguments[1]), arguments[2]);
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

  private static void beParent(Path folder) throws Exception {
    JavaProgram program =
        JavaProgram.of("grandchild", TestProgram.class.getName(), List.of("sleep"));
    try (ChildProcess child = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      System.out.println(child.handle().pid());
      Thread.sleep(LONG);
    }
  }

  private static void printChildsProperty(Path folder, String property) throws Exception {
    JavaProgram program =
        JavaProgram.of("grandchild", TestProgram.class.getName(), List.of("property", property));
    try (ChildProcess child = ChildProcess.start(program, ChildOutput.gatheredIn(folder))) {
      child.requireSuccess(LONG);
      System.out.print(child.output());
    }
  }

  private static void print(String resource) throws IOException {
    TestProgram.class.getClassLoader().getResourceAsStream(resource).transferTo(System.out);
  }
}
