// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.io.IOException;

/** The tap said what was wrong; its words are the message. */
final class TapFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  TapFailedException(String said) {
    super(said);
  }
}
