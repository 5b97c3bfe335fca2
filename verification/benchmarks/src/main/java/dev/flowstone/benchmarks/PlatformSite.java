// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.operators.ruled.RulesText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * What somebody who runs the platform job gives it: a file of sixteen rules with every function,
 * and a folder with the jar of the class that one of them names. Whoever made it closes it.
 */
final class PlatformSite implements AutoCloseable {
  private static final String RULES = "platform-rules.yaml";

  private final ScratchFolder folder;

  private PlatformSite(ScratchFolder folder) {
    this.folder = folder;
  }

  static PlatformSite create() throws IOException {
    ScratchFolder folder = ScratchFolder.onDisk("site");
    try {
      PlatformSite site = new PlatformSite(folder);
      Files.writeString(site.rulesFile(), rulesText().text());
      Files.createDirectory(site.functions());
      writeJar(site.functions().resolve("far-away.jar"));
      return site;
    } catch (IOException e) {
      folder.close();
      throw e;
    }
  }

  static RulesText rulesText() {
    try (InputStream stream = PlatformSite.class.getResourceAsStream(RULES)) {
      return new RulesText(0, RULES, new String(stream.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(RULES, e);
    }
  }

  private static void writeJar(Path file) throws IOException {
    String name = FarAway.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file));
        InputStream stream = FarAway.class.getClassLoader().getResourceAsStream(name)) {
      jar.putNextEntry(new JarEntry(name));
      stream.transferTo(jar);
    }
  }

  private Path rulesFile() {
    return folder.path().resolve("rules.yaml");
  }

  private Path functions() {
    return folder.path().resolve("functions");
  }

  /** The platform job's own defaults; see there. */
  PlatformOptions options(Path rings) {
    PlatformOptions options = new PlatformOptions();
    options.rings.folders = List.of(rings);
    options.rings.readerName = "benchmark";
    options.rules.file = rulesFile();
    options.functions = functions();
    return options;
  }

  @Override
  public void close() {
    folder.close();
  }
}
