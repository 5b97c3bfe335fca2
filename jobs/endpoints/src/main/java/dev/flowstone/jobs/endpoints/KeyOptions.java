// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.operators.packets.AnonymisationKeys;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The keys under which a job makes addresses anonymous. */
public final class KeyOptions {
  @Option(
      names = "--anonymise-key",
      paramLabel = "NAME=FILE",
      description =
          "A key, by the name under which it is asked for: 32 bytes, or 64 hexadecimal digits; read"
              + " where the job is submitted, and part of the job from there on. May be repeated.")
  public Map<String, Path> files = new LinkedHashMap<>();

  private AnonymisationKeys keys;

  /** Returns the keys as they were when they were first read. Throws for a file that has no key. */
  public AnonymisationKeys read() {
    if (keys == null) {
      keys = AnonymisationKeys.read(files);
    }
    return keys;
  }
}
