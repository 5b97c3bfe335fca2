// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.abi;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks one layout byte by byte and bit by bit: fields in order, no gap, no overlap, all aligned.
 */
final class LayoutValidator {
  private static final int LANE_BYTES = 8;

  private final String place;
  private final Layout layout;
  private final Abi abi;
  private final List<String> problems = new ArrayList<>();

  private LayoutValidator(String place, Layout layout, Abi abi) {
    this.place = place;
    this.layout = layout;
    this.abi = abi;
  }

  static List<String> problems(String place, Layout layout, Abi abi) {
    return new LayoutValidator(place, layout, abi).validate();
  }

  private List<String> validate() {
    long end = 0;
    for (Field field : layout.fields()) {
      checkPlace(field, end);
      checkElement(field);
      checkBits(field);
      end = Math.max(end, field.offset() + abi.sizeBytes(field));
    }
    if (end != layout.sizeBytes()) {
      problems.add(
          place + ": size_bytes is " + layout.sizeBytes() + " but the fields end at " + end);
    }
    if (layout.sizeBytes() % abi.alignmentBytes(layout) != 0) {
      problems.add(
          place
              + ": size_bytes "
              + layout.sizeBytes()
              + " is not a multiple of the alignment "
              + abi.alignmentBytes(layout));
    }
    return problems;
  }

  private void checkPlace(Field field, long end) {
    if (field.offset() < end) {
      problem(field, "overlaps: starts at " + field.offset() + ", the field before ends at " + end);
    } else if (field.offset() > end) {
      problem(field, "leaves a gap: bytes " + end + " to " + (field.offset() - 1) + " are unnamed");
    }
  }

  private void checkElement(Field field) {
    int alignment = abi.alignmentBytes(field);
    if (field.offset() % alignment != 0) {
      problem(field, "offset " + field.offset() + " is not a multiple of " + alignment);
    }
    if (field.type() instanceof FieldType.Scalar(ScalarType type)
        && field.offset() % LANE_BYTES + type.bytes() > LANE_BYTES) {
      problem(field, "crosses a 64-bit lane at offset " + field.offset());
    }
    if (abi.sizeBytes(field) == 0) {
      problem(field, "is empty");
    }
  }

  private void checkBits(Field field) {
    if (field.bits().isEmpty()) {
      return;
    }
    if (!(field.type() instanceof FieldType.Scalar(ScalarType type)) || field.count().isPresent()) {
      problem(field, "only a single scalar has bits");
      return;
    }
    int next = 0;
    for (BitRange bits : field.bits().stream().sorted((a, b) -> a.low() - b.low()).toList()) {
      if (bits.high() < bits.low()) {
        problem(
            field, "bits " + bits.name() + ": high " + bits.high() + " is below low " + bits.low());
      } else if (bits.low() < next) {
        problem(field, "bits " + bits.name() + " overlap: bit " + bits.low() + " is already taken");
      } else if (bits.low() > next) {
        problem(field, "bits " + next + " to " + (bits.low() - 1) + " are unnamed");
      }
      next = Math.max(next, bits.high() + 1);
    }
    if (next != type.bits()) {
      problem(field, "bits cover 0 to " + (next - 1) + " of a word of " + type.bits() + " bits");
    }
  }

  private void problem(Field field, String what) {
    problems.add(place + ": field " + field.name() + ": " + what);
  }
}
