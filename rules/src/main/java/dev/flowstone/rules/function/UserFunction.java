// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A class of the user's, from the jars that the operator named: a rule names a class, never a jar.
 *
 * @param options what the class is given, as text
 */
public record UserFunction(String className, Map<String, String> options)
    implements ServiceFunction {
  public static final int MOST_OPTIONS = 64;
  public static final int MOST_OPTION_CHARACTERS = 4096;

  private static final Pattern CLASS =
      Pattern.compile("[A-Za-z_$][A-Za-z0-9_$]*(\\.[A-Za-z_$][A-Za-z0-9_$]*)*");
  private static final int MOST_CLASS_CHARACTERS = 255;

  public UserFunction {
    options = Collections.unmodifiableMap(new TreeMap<>(options));
    if (className.length() > MOST_CLASS_CHARACTERS || !CLASS.matcher(className).matches()) {
      throw new IllegalArgumentException(
          "not the name of a class, such as org.example.Watch: " + className);
    }
    if (options.size() > MOST_OPTIONS) {
      throw new IllegalArgumentException("at most 64 options: " + options.size());
    }
    options.forEach(
        (key, value) -> {
          if (value.length() > MOST_OPTION_CHARACTERS) {
            throw new IllegalArgumentException(
                "an option has at most 4096 characters: " + key + " has " + value.length());
          }
        });
  }

  @Override
  public String name() {
    return "user";
  }
}
