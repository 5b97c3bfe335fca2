// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A file that lists jars as {@code java -cp} takes them. The build writes where they are on its
 * machine; in a distribution they stand relative to the list's own folder.
 */
public final class ClassPathList {
  private ClassPathList() {}

  /** With paths that hold wherever the program is run. */
  public static String read(Path list) throws IOException {
    Path folder = list.toAbsolutePath().getParent();
    return Arrays.stream(Files.readString(list).strip().split(File.pathSeparator, -1))
        .map(jar -> folder.resolve(jar).normalize().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
