// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.operators.user.PacketFunction;
import dev.flowstone.operators.user.PacketFunctionContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** A user's function that a rule can name. */
public final class NoUse implements PacketFunction {
  @Override
  public void open(PacketFunctionContext context) {}

  @Override
  public void process(PacketBlock packets) {}

  /** A folder with a jar that has this class. */
  static Path jarIn(Path folder) throws IOException {
    Path jars = Files.createDirectories(folder.resolve("functions"));
    String name = NoUse.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream jar =
            new JarOutputStream(Files.newOutputStream(jars.resolve("no-use.jar")));
        InputStream bytes = NoUse.class.getClassLoader().getResourceAsStream(name)) {
      jar.putNextEntry(new JarEntry(name));
      bytes.transferTo(jar);
    }
    return jars;
  }
}
