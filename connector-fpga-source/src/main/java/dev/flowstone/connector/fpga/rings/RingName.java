// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import java.io.Serializable;

/**
 * Which ring, among all hosts.
 *
 * @param host whose memory holds it, see {@link HostName}
 * @param directory the tap's folder there
 * @param ring number among the tap's rings
 */
public record RingName(String host, String directory, int ring)
    implements Serializable, Comparable<RingName> {

  /** Whether both belong to one tap. */
  public boolean isSameTap(RingName other) {
    return host.equals(other.host) && directory.equals(other.directory);
  }

  @Override
  public int compareTo(RingName other) {
    int byRing = Integer.compare(ring, other.ring);
    int byHost = byRing != 0 ? byRing : host.compareTo(other.host);
    return byHost != 0 ? byHost : directory.compareTo(other.directory);
  }

  @Override
  public String toString() {
    return host + ":" + directory + "/" + ring;
  }
}
