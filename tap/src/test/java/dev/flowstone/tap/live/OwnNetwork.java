// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.flowstone.tap.IpCommand;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Runs each test in a thread with a network namespace of its own, in which the loopback interface
 * is up and no other program sends. Skips the test if the process is not allowed to create one.
 */
@SuppressWarnings("restricted")
final class OwnNetwork implements InvocationInterceptor {
  private static final int CLONE_NEWNET = 0x4000_0000;

  private static final MethodHandle UNSHARE =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().findOrThrow("unshare"),
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  @Override
  public void interceptTestMethod(
      Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
      throws Throwable {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread thread = Thread.ofPlatform().start(() -> run(test, failure));
    try {
      thread.join();
    } catch (InterruptedException e) {
      thread.interrupt();
      throw e;
    }
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  private static void run(Invocation<Void> test, AtomicReference<Throwable> failure) {
    try {
      assumeTrue(
          (int) UNSHARE.invokeExact(CLONE_NEWNET) == 0,
          "SKIPPED: cannot create a network namespace; run as root");
      IpCommand.require("ip", "link", "set", "lo", "up");
      test.proceed();
    } catch (Throwable e) {
      failure.set(e);
    }
  }
}
