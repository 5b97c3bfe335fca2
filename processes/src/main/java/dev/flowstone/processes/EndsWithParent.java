// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Optional;

/**
 * Runs another main class in a child JVM that does not outlive its parent, however that one ends:
 * the parent's shutdown hooks do not run when it is killed.
 *
 * <p>Arguments: the parent's process id, the main class, and what is meant for that class.
 */
final class EndsWithParent {
  private static final int FAILED = 1;
  private static final int FIRST_ARGUMENT = 2;
  private static final long LOOK_INTERVAL_MS = 200;

  /** For the program's own shutdown hooks. */
  private static final long STOP_LIMIT_MS = 8_000;

  /** What a shell says of SIGHUP: whoever it worked for is gone. */
  private static final int STATUS = ProcessEnd.KILLED_BASE + Signal.HUP.number();

  private EndsWithParent() {}

  public static void main(String[] arguments) {
    long parent = Long.parseLong(arguments[0]);
    Thread.ofPlatform().daemon().name("parent-watch").start(() -> watch(parent));
    try {
      MethodHandle main = mainOf(Class.forName(arguments[1]));
      main.invokeExact(Arrays.copyOfRange(arguments, FIRST_ARGUMENT, arguments.length));
    } catch (Throwable uncaught) {
      System.err.print("Exception in thread \"main\" ");
      uncaught.printStackTrace();
      // Its other threads would keep alive what nobody leads any more.
      System.exit(FAILED);
    }
  }

  private static MethodHandle mainOf(Class<?> program) throws ReflectiveOperationException {
    return MethodHandles.privateLookupIn(program, MethodHandles.lookup())
        .findStatic(program, "main", MethodType.methodType(void.class, String[].class));
  }

  /** A child whose parent is gone is another one's at once, even while nobody has buried it. */
  private static void watch(long parent) {
    try {
      while (isThere(parent)) {
        Thread.sleep(LOOK_INTERVAL_MS);
      }
      Thread.ofPlatform().daemon().name("parent-gone").start(() -> System.exit(STATUS));
      Thread.sleep(STOP_LIMIT_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      // Also where there is no memory left for a thread that exits.
      Runtime.getRuntime().halt(STATUS);
    }
  }

  /**
   * A heap that is full for now should not end the watch. This helps mostly, and not always: other
   * calls of the watch may want memory, too.
   */
  private static boolean isThere(long parent) {
    try {
      return ProcessHandle.current().parent().map(ProcessHandle::pid).equals(Optional.of(parent));
    } catch (OutOfMemoryError full) {
      return true;
    }
  }
}
