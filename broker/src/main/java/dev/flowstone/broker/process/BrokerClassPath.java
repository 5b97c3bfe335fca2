// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker.process;

import dev.flowstone.processes.ClassPathList;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where Kafka's server jars are: the build lists them beside this class's own jar or folder. */
final class BrokerClassPath {
  private static final String LIST_NAME = "runtime.classpath";

  private BrokerClassPath() {}

  static String read() throws IOException {
    Path ownClasses = ownClasses();
    Path list = ownClasses.resolveSibling(LIST_NAME);
    if (!Files.exists(list)) {
      throw new IOException(
          "%s is missing; build it with: mvn -pl broker package -DskipTests".formatted(list));
    }
    return ownClasses + File.pathSeparator + ClassPathList.read(list);
  }

  private static Path ownClasses() throws IOException {
    try {
      return Path.of(
          BrokerClassPath.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException location) {
      throw new IOException(
          "the broker's classes are not in a folder or jar on this machine", location);
    }
  }
}
