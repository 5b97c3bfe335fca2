// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import dev.flowstone.model.abi.BatchBody;

/** How the packets of a batch are laid out. */
public enum BodyKind {
  /** The 64-byte records as they are: cheapest to write, largest to carry. */
  RAW(BatchBody.RAW),
  /** A flow dictionary and bit-packed columns: a fifth to a tenth of the size on mixed traffic. */
  COLUMNS(BatchBody.COLUMNS);

  private final int code;

  BodyKind(int code) {
    this.code = code;
  }

  /** The number that stands in the header. */
  int code() {
    return code;
  }

  /** The kind with this number in the header, or null when there is none. */
  static BodyKind ofCode(int code) {
    return switch (code) {
      case BatchBody.RAW -> RAW;
      case BatchBody.COLUMNS -> COLUMNS;
      default -> null;
    };
  }
}
