// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

/**
 * A page that the code decides.
 *
 * @param name of its file in {@link #FOLDER}
 */
record Page(String name, String text) {
  static final String FOLDER = "docs/reference";

  /** Its last words. */
  static final String COMMAND =
      "mvn -pl verification/reference -am test -Dtest=WriteReference"
          + " -Dsurefire.failIfNoSpecifiedTests=false -Dflowstone.reference=write";

  String path() {
    return FOLDER + "/" + name;
  }
}
