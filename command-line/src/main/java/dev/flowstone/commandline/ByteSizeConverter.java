// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes such as 65536, 512k, 256m, 4g, 2t. */
public final class ByteSizeConverter implements ITypeConverter<Long> {
  private static final Pattern SIZE = Pattern.compile("(\\d{1,12})([kmgt]?)i?b?");

  @Override
  public Long convert(String text) {
    Matcher size = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new TypeConversionException("not a size such as 512k, 256m or 4g: " + text);
    }
    int shift =
        switch (size.group(2)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          case "t" -> 40;
          default -> 0;
        };
    return Math.multiplyExact(Long.parseLong(size.group(1)), 1L << shift);
  }
}
