// SPDX-License-Identifier: Apache-2.0
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.launcher.TagFilter.excludeTags;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.nio.file.Path;
import java.util.Set;
import org.junit.platform.engine.UniqueId.Segment;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the default tests of one module without Maven. Arguments: the folder of the test classes,
 * and optionally a pattern of class names. Prints one line for each failure and one that counts.
 * The exit status is 1 if a test failed, and 2 if there was no test to run.
 */
final class RunTests {
  private static final String DEFAULT_CLASSES = ".*(Test|ITCase)";

  /** The beginning of a long message names the assertion, and the end has the expected value. */
  private static final int MAX_BEGINNING_LENGTH = 300;

  private static final int MAX_END_LENGTH = 500;

  private RunTests() {}

  public static void main(String[] arguments) {
    String classes = arguments.length > 1 ? arguments[1] : DEFAULT_CLASSES;
    var listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            request()
                .selectors(selectClasspathRoots(Set.of(Path.of(arguments[0]))))
                .filters(includeClassNamePatterns(classes), excludeTags("slow", "undisturbed"))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.getFailures().forEach(RunTests::print);
    System.out.printf(
        "%d passed, %d failed, %d skipped%n",
        summary.getTestsSucceededCount(),
        summary.getTotalFailureCount(),
        summary.getTestsSkippedCount() + summary.getTestsAbortedCount());
    // Threads that a test left behind would keep this process alive.
    System.exit(status(summary));
  }

  private static int status(TestExecutionSummary summary) {
    if (summary.getTotalFailureCount() > 0) {
      return 1;
    }
    return summary.getTestsFoundCount() == 0 ? 2 : 0;
  }

  private static void print(TestExecutionSummary.Failure failure) {
    String testClass =
        failure.getTestIdentifier().getUniqueIdObject().getSegments().stream()
            .filter(segment -> segment.getType().equals("class"))
            .map(Segment::getValue)
            .findFirst()
            .orElse("");
    String message = String.valueOf(failure.getException()).strip().replaceAll("\\s+", " ");
    System.out.printf(
        "FAILED %s %s: %s%n",
        testClass.substring(testClass.lastIndexOf('.') + 1),
        failure.getTestIdentifier().getLegacyReportingName(),
        shortened(message));
  }

  private static String shortened(String message) {
    if (message.length() <= MAX_BEGINNING_LENGTH + MAX_END_LENGTH) {
      return message;
    }
    return message.substring(0, MAX_BEGINNING_LENGTH)
        + " […] "
        + message.substring(message.length() - MAX_END_LENGTH);
  }
}
