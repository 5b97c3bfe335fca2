// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import org.apache.flink.connector.base.DeliveryGuarantee;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a delivery guarantee as Flink's documentation spells it. */
final class DeliveryConverter implements ITypeConverter<DeliveryGuarantee> {
  @Override
  public DeliveryGuarantee convert(String text) {
    return switch (text) {
      case "exactly-once" -> DeliveryGuarantee.EXACTLY_ONCE;
      case "at-least-once" -> DeliveryGuarantee.AT_LEAST_ONCE;
      default ->
          throw new TypeConversionException("neither exactly-once nor at-least-once: " + text);
    };
  }
}
