// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

/** What a packet is at layer 3. */
public enum IpVersion {
  IPV4("4"),
  IPV6("6"),
  /** No readable IP header, such as ARP. */
  NONE("none");

  private final String text;

  IpVersion(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
