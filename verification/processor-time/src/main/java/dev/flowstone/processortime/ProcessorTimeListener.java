// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processortime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes the processor time that each test class took, with all processes it started, to {@code
 * target/processor-time} of the module. Each line is {@code CLASS SECONDS BEGAN ENDED}, the
 * last two in seconds since 1970; the file is named by the process, because a module may run its
 * tests in several, and by the time of its first class, because a later process may have the same
 * ID.
 */
public final class ProcessorTimeListener implements TestExecutionListener {
  private static final String FILE_NAME =
      ProcessHandle.current().pid() + "-" + System.currentTimeMillis();

  private final Map<String, Start> starts = new ConcurrentHashMap<>();
  private TestPlan plan;

  private record Start(double processorSeconds, long atMs) {
    static Start now() {
      return new Start(ProcessTreeTime.seconds(), System.currentTimeMillis());
    }
  }

  @Override
  public void testPlanExecutionStarted(TestPlan started) {
    plan = started;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (isOuterClass(test)) {
      starts.put(test.getUniqueId(), Start.now());
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Start start = starts.remove(test.getUniqueId());
    if (start != null) {
      write(className(test), start, Start.now());
    }
  }

  /** A nested class is part of the class around it. */
  private boolean isOuterClass(TestIdentifier test) {
    return test.getSource().filter(ClassSource.class::isInstance).isPresent()
        && plan.getParent(test).flatMap(TestIdentifier::getSource).isEmpty();
  }

  private static String className(TestIdentifier test) {
    return ((ClassSource) test.getSource().orElseThrow()).getClassName();
  }

  /** Surefire names the module's folder; other runners, such as an IDE, get no file. */
  private static void write(String className, Start start, Start end) {
    String module = System.getProperty("basedir");
    if (module == null) {
      return;
    }
    try {
      Path folder = Files.createDirectories(Path.of(module, "target", "processor-time"));
      Files.writeString(
          folder.resolve(FILE_NAME),
          String.format(
              Locale.ROOT,
              "%s %.2f %.3f %.3f%n",
              className,
              end.processorSeconds() - start.processorSeconds(),
              start.atMs() / 1e3,
              end.atMs() / 1e3),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
