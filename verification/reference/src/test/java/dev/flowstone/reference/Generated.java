// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

/** What all pages end with. */
final class Generated {
  private Generated() {}

  static String page(CharSequence text) {
    return text.toString().stripTrailing()
        + "\n\n---\n\nGenerated from the code by `verification/reference`; a test fails while it differs. [CONTRIBUTING](../../CONTRIBUTING.md)"
        + " says how to write it anew.\n";
  }
}
