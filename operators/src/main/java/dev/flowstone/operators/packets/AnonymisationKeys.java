// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Keys under which addresses are made anonymous, by the names that rules call them. Read where a
 * job is submitted, and part of the job from there on. No message and no text repeats one.
 */
public final class AnonymisationKeys implements Serializable {
  private static final long serialVersionUID = 1L;

  public static final AnonymisationKeys NONE = new AnonymisationKeys(Map.of());

  static final int KEY_BYTES = 32;
  private static final int MOST_FILE_BYTES = 1024;

  private final LinkedHashMap<String, byte[]> keys;

  private AnonymisationKeys(Map<String, byte[]> keys) {
    this.keys = new LinkedHashMap<>(keys);
  }

  /** Of files with 32 bytes each, or with 64 hexadecimal digits. */
  public static AnonymisationKeys read(Map<String, Path> files) {
    Map<String, byte[]> keys = new LinkedHashMap<>();
    files.forEach((name, file) -> keys.put(name, read(name, file)));
    return new AnonymisationKeys(keys);
  }

  private static byte[] read(String name, Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return parse(in.readNBytes(MOST_FILE_BYTES));
    } catch (IOException e) {
      throw new IllegalArgumentException("key " + name + ": cannot read " + file, e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("key " + name + ": " + file + ": " + e.getMessage(), e);
    }
  }

  private static byte[] parse(byte[] content) {
    String text = new String(content, US_ASCII).strip();
    if (text.matches("[0-9a-fA-F]{64}")) {
      return HexFormat.of().parseHex(text);
    }
    if (content.length != KEY_BYTES || text.matches("[0-9a-fA-F]{32}")) {
      throw new IllegalArgumentException(
          "a key is 32 bytes, or 64 hexadecimal digits, as openssl rand -hex 32 makes them");
    }
    return content;
  }

  /** Throws if a rule names a key that is not among these. */
  public void require(RuleSet rules) {
    rules.rules().forEach(this::require);
  }

  private void require(Rule rule) {
    keyName(rule.function()).ifPresent(name -> key(name, rule.name()));
  }

  /** The key of this name; throws if nobody gave it. */
  byte[] key(String name, String rule) {
    byte[] key = keys.get(name);
    if (key == null) {
      throw new IllegalArgumentException(
          "rule %s: no key %s to make addresses anonymous: give the job --anonymise-key %s=FILE"
              .formatted(rule, name, name));
    }
    return key;
  }

  static Optional<String> keyName(ServiceFunction function) {
    return switch (function) {
      case Pass pass -> pass.anonymiseKey();
      case Sample sample -> sample.anonymiseKey();
      default -> Optional.empty();
    };
  }
}
