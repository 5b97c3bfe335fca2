// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Which Flowstone this is, as the build wrote it down. */
final class Version implements IVersionProvider {
  private static final String FILE = "version.properties";

  @Override
  public String[] getVersion() throws IOException {
    Properties properties = new Properties();
    try (InputStream file = Version.class.getResourceAsStream(FILE)) {
      properties.load(file);
    }
    return new String[] {"flowstone " + properties.getProperty("version")};
  }
}
