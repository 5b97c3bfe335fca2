// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.entry;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.jar.JarFile;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The main class of a job's cluster jar. What it runs stands in the jar's manifest. It never ends
 * the JVM: that may be a JobManager's.
 */
public final class JobEntry {
  static final String MANIFEST_ENTRY = "Flowstone-Job";

  private JobEntry() {}

  public static void main(String[] arguments) throws Exception {
    NeededJava.require(Runtime.version());
    run(commandLineJob(), arguments);
  }

  private static CommandLineJob commandLineJob() throws Exception {
    String className = classNameIn(ownJar());
    return Class.forName(className)
        .asSubclass(CommandLineJob.class)
        .getDeclaredConstructor()
        .newInstance();
  }

  private static File ownJar() throws URISyntaxException {
    return new File(JobEntry.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  private static String classNameIn(File jar) throws IOException {
    try (JarFile file = new JarFile(jar)) {
      String className = file.getManifest().getMainAttributes().getValue(MANIFEST_ENTRY);
      if (className == null) {
        throw new IllegalStateException(
            jar + " names no " + MANIFEST_ENTRY + " in its manifest: take a job's -cluster.jar");
      }
      return className;
    }
  }

  /** Has the Flink that started this execute the job. */
  public static void run(CommandLineJob job, String... arguments) throws Exception {
    if (!isToRun(new CommandLine(job).setCaseInsensitiveEnumValuesAllowed(true), arguments)) {
      return;
    }
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    job.check(JobStart.in(environment, System.err::println));
    job.build(environment);
    environment.execute(job.name());
  }

  /**
   * False when help was asked for; what is wrong with an option reaches whoever submits the job.
   */
  private static boolean isToRun(CommandLine line, String... arguments) {
    try {
      line.parseArgs(arguments);
    } catch (ParameterException e) {
      throw new IllegalArgumentException(e.getMessage() + "; --help lists the options", e);
    }
    return !CommandLine.printHelpIfRequested(line.getParseResult());
  }
}
