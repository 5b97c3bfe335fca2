// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads rates as network engineers write them: 812000, 812k, 1.4M, 1e6. */
public final class RateConverter implements ITypeConverter<Double> {
  private static final Pattern RATE =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?(?:e\\d{1,2})?)([kmg]?)");

  @Override
  public Double convert(String text) {
    Matcher rate = RATE.matcher(text.toLowerCase(Locale.ROOT));
    if (!rate.matches()) {
      throw new TypeConversionException(
          "not a rate per second, such as 812000, 812k or 1.4M: " + text);
    }
    int zeros =
        switch (rate.group(2)) {
          case "k" -> 3;
          case "m" -> 6;
          case "g" -> 9;
          default -> 0;
        };
    // In decimal: 8.2k is 8200, not a fraction beside it.
    return new BigDecimal(rate.group(1)).scaleByPowerOfTen(zeros).doubleValue();
  }
}
