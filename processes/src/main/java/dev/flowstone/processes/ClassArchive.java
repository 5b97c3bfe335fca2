// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A class data sharing (CDS) archive: the loaded classes of a program, which a JVM maps into memory
 * instead of parsing and verifying them. A start then takes about half of the processor time.
 *
 * <p>{@code build-support/class-archive.sh} stores the archive of a class path beside the first jar
 * of this class path, with the extension {@code jsa}. The JVM ignores an archive that does not
 * match its own version or its class path.
 */
final class ClassArchive {
  private static final String JAR = ".jar";
  private static final String ARCHIVE = ".jsa";

  /** An archive that does not match is no reason for a message, on either stream. */
  private static final String NO_MESSAGES = "-Xlog:cds*=off,aot*=off,class+path*=off";

  private ClassArchive() {}

  /** Returns the JVM options that use the archive; empty without an archive. */
  static List<String> options(String classPath) {
    return find(classPath)
        .map(
            archive ->
                List.of(
                    "-XX:SharedArchiveFile=" + archive,
                    "-Xshare:auto",
                    NO_MESSAGES,
                    NO_MESSAGES + ":stderr"))
        .orElse(List.of());
  }

  private static Optional<Path> find(String classPath) {
    String first = classPath.split(File.pathSeparator, 2)[0];
    return Optional.of(first)
        .filter(jar -> jar.endsWith(JAR))
        .map(jar -> Path.of(jar.substring(0, jar.length() - JAR.length()) + ARCHIVE))
        .filter(Files::isRegularFile);
  }
}
