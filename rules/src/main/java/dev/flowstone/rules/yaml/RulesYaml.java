// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.RulesFileException;
import dev.flowstone.rules.TextFile;
import java.io.IOException;
import java.nio.file.Path;

/** Rules as text. What is read and written, {@code docs/formats/rules.schema.json} describes. */
public final class RulesYaml {
  private RulesYaml() {}

  /**
   * The rules of a file.
   *
   * @throws RulesFileException with place and reason of all that is wrong
   */
  public static RuleSet read(Path file) throws IOException {
    return read(TextFile.read(file), file.toString());
  }

  /**
   * The rules of a text that came from elsewhere.
   *
   * @param place what to call it where something is wrong
   */
  public static RuleSet read(byte[] text, String place) {
    TextFile.requireBounded(text, place);
    return RulesReader.read(TextFile.decode(text, place), place);
  }

  /** The text that means these rules. */
  public static String write(RuleSet rules) {
    return RulesWriter.write(rules);
  }
}
