// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** What a record describes. */
public final class RecordKind {
  public static final int FREE = 0;
  public static final int IPV4 = 1;
  public static final int IPV6 = 2;
  public static final int OTHER = 3;
  public static final int IPV4_ENCAPSULATED = 4;
  public static final int IPV6_ENCAPSULATED = 5;
  public static final int TIME = 6;
  public static final int LOSS = 7;

  private RecordKind() {}
}
