// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.entry;

/** This JVM cannot run the job. Without a stack trace: {@code java -jar} then prints one line. */
public final class TooOldJavaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TooOldJavaException(int needed, Runtime.Version found, String home) {
    super(
        "Flowstone needs Java "
            + needed
            + " or newer and runs on Java "
            + found.feature()
            + " ("
            + home
            + "): start Flink's processes, and the client that submits the job, with a JDK "
            + needed
            + " (JAVA_HOME, or env.java.home in Flink's config.yaml)",
        null,
        false,
        false);
  }
}
