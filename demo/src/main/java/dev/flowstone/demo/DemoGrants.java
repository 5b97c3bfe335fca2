// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.demo.function.Bursts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * What whoever starts a job gives it because rules may only name it: keys, and a folder with jars.
 */
record DemoGrants(Map<String, Path> keys, Path functions) {
  /** The one key's name; each demo makes it anew. */
  static final String KEY = "demo";

  /** The one class that rules can name. */
  static final String FUNCTION = Bursts.class.getName();

  private static final int KEY_BYTES = 32;

  private static final List<String> FILES_OF_FUNCTION =
      List.of("Bursts.class", "Burst.class", "Run.class", "RunState.class");

  /** Writes them into a folder. */
  static DemoGrants make(Path folder) throws IOException {
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    Path keyFile = Files.write(folder.resolve(KEY + ".key"), key);
    Path functions = Files.createDirectory(folder.resolve("functions"));
    writeJar(functions.resolve("bursts.jar"));
    return new DemoGrants(Map.of(KEY, keyFile), functions);
  }

  private static void writeJar(Path file) throws IOException {
    String folder = Bursts.class.getPackageName().replace('.', '/') + "/";
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
      for (String name : FILES_OF_FUNCTION) {
        jar.putNextEntry(new JarEntry(folder + name));
        try (InputStream code = Bursts.class.getResourceAsStream(name)) {
          code.transferTo(jar);
        }
        jar.closeEntry();
      }
    }
  }
}
