// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** How the body is laid out. */
public final class BatchBody {
  public static final int RAW = 1;
  public static final int COLUMNS = 2;

  private BatchBody() {}
}
