// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

import java.nio.file.Path;

/** One place where a capture is malformed: the record that starts at a byte offset of a file. */
public record MalformedNote(MalformedReason reason, Path file, long offset) {
  @Override
  public String toString() {
    return file + ": " + reason.text() + " at byte " + offset;
  }
}
