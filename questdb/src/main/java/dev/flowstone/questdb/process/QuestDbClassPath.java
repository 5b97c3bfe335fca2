// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.questdb.process;

import dev.flowstone.processes.ClassPathList;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** This module's classes and QuestDB's jar, which the build lists beside them. */
final class QuestDbClassPath {
  private static final String LIST_NAME = "questdb.classpath";

  private QuestDbClassPath() {}

  static String read() throws IOException {
    Path ownClasses = ownClasses();
    Path list = ownClasses.resolveSibling(LIST_NAME);
    if (!Files.exists(list)) {
      throw new IOException(
          "%s is missing; build it with: mvn -pl questdb package -DskipTests".formatted(list));
    }
    // First, because the class archive is found beside the first jar.
    return ownClasses + File.pathSeparator + ClassPathList.read(list);
  }

  private static Path ownClasses() throws IOException {
    try {
      return Path.of(
          QuestDbClassPath.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException location) {
      throw new IOException(
          "the classes of module questdb are not in a folder or jar on this machine", location);
    }
  }
}
