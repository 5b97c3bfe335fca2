// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model.abi;

/** Why a packet has no 5-tuple (kind OTHER). */
public final class OtherReason {
  public static final int NOT_IP = 1;
  public static final int SHORT_LINK = 2;
  public static final int SHORT_IP = 3;
  public static final int BAD_IP = 4;
  public static final int MPLS_NOT_IP = 5;
  public static final int LINK_TYPE = 6;
  public static final int ERF_TYPE = 7;
  public static final int TOO_DEEP = 8;

  private OtherReason() {}
}
