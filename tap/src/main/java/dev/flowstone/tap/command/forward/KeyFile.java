// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.command.forward;

import dev.flowstone.commandline.SecretFile;
import dev.flowstone.tap.datagram.DatagramKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** The file that {@code --key-file} names. */
final class KeyFile {
  static final String OPTION = "--key-file";

  private KeyFile() {}

  /** Returns the key in the first line of a file; empty if there is no file. */
  static Optional<DatagramKey> read(Optional<Path> file) {
    return file.map(KeyFile::key);
  }

  private static DatagramKey key(Path file) {
    try {
      return DatagramKey.of(SecretFile.firstLine(OPTION, file).getBytes(StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(OPTION + ": " + file + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }
}
