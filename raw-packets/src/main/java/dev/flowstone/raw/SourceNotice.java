// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

/** Events of packets or their interface that operators should see beside the losses. */
public enum SourceNotice {
  /** The card marked it as received with an error; it is in the stream like any other. */
  RECEIVE_ERROR("packets that the card received with an error"),
  /** Longer than the interface sends: the kernel or the card probably merged packets. */
  ABOVE_MTU("frames above the interface's MTU, probably merged from several packets"),
  /** Without the hardware timestamp that was asked for; in the stream as an untimed packet. */
  OTHER_CLOCK("packets that the card did not stamp"),
  /** Without an IP header whose addresses could be changed; in the stream as it was captured. */
  KEPT_ADDRESSES("packets without IP addresses to change, kept as captured"),
  /** Traffic is made of captures; one was begun once more. */
  INSTANCES("instances of captures begun"),
  /** The interface went away or down, and was waited for. */
  INTERFACE_AWAY("times the interface was away"),
  /** Part of the packets lost before the tap. */
  INTERFACE_DROPS("packets dropped by the interface, its driver or a CPU backlog (capture loss)"),
  /** All packets so far were sent by this host, to it, or to all. */
  OWN_TRAFFIC_ONLY(
      "packets, all from or to this host; to capture a mirror port, use --promiscuous");

  private final String text;

  SourceNotice(String text) {
    this.text = text;
  }

  /** How often two sources noticed it that hear the same interface: its own fate both see. */
  long together(long one, long other) {
    return this == INTERFACE_AWAY ? Math.max(one, other) : one + other;
  }

  public String text() {
    return text;
  }
}
