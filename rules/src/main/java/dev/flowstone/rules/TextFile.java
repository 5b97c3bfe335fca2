// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file of rules, in whatever form, as far as memory may be given to it. */
public final class TextFile {
  /** A thousand bytes for each of the most rules. */
  public static final int MOST_BYTES = 4 << 20;

  private static final String BYTE_ORDER_MARK = "\ufeff";

  private TextFile() {}

  public static byte[] read(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new IOException(file + ": no such file");
    }
    if (Files.isDirectory(file)) {
      throw new IOException(file + ": it is a folder; name a file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      requireBounded(bytes, file.toString());
      return bytes;
    }
  }

  /**
   * The bytes as text, without a byte order mark.
   *
   * @throws RulesFileException if they are no UTF-8
   */
  public static String decode(byte[] text, String place) {
    try {
      String decoded = UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
      return decoded.startsWith(BYTE_ORDER_MARK) ? decoded.substring(1) : decoded;
    } catch (CharacterCodingException e) {
      throw RulesFileException.of(place, Place.START, "no UTF-8 text");
    }
  }

  /** Throws if it is more than rules ever are. */
  public static void requireBounded(byte[] text, String place) {
    if (text.length > MOST_BYTES) {
      throw RulesFileException.of(
          place, Place.START, "more than " + MOST_BYTES + " bytes are no rules");
    }
  }
}
