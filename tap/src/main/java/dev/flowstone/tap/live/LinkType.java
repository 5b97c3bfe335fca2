// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.live;

/** How frames of an interface begin, by its kind of hardware. */
enum LinkType {
  ETHERNET(1, 14),
  RAW_IP(12, 0);

  /** A loopback interface shows every frame twice, leaving and arriving. */
  static final int HARDWARE_LOOPBACK = 772;

  private static final int HARDWARE_ETHERNET = 1;
  private static final int HARDWARE_PPP = 512;
  private static final int HARDWARE_TUNNEL4 = 768;
  private static final int HARDWARE_TUNNEL6 = 769;
  private static final int HARDWARE_NONE = 65534;

  private final int number;
  private final int headerBytes;

  LinkType(int number, int headerBytes) {
    this.number = number;
    this.headerBytes = headerBytes;
  }

  /** Of an interface with that ARPHRD_ number. */
  static LinkType of(String interfaceName, int hardwareType) {
    return switch (hardwareType) {
      case HARDWARE_ETHERNET, HARDWARE_LOOPBACK -> ETHERNET;
      case HARDWARE_PPP, HARDWARE_TUNNEL4, HARDWARE_TUNNEL6, HARDWARE_NONE -> RAW_IP;
      default ->
          throw new LiveCaptureException(
              "interface "
                  + interfaceName
                  + " has hardware type "
                  + hardwareType
                  + "; accepted: Ethernet (1), loopback (772) and IP tunnels (512, 768, 769, 65534)");
    };
  }

  /** As capture files number it. */
  int number() {
    return number;
  }

  int headerBytes() {
    return headerBytes;
  }
}
