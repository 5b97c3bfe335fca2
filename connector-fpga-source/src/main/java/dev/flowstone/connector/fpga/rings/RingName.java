// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import java.io.Serializable;

/**
 * Where a ring is seen, for people: two hosts may bear one name, and one folder may be seen under
 * two. What a ring is, its stream number says.
 *
 * @param host whose memory holds it, see {@link HostName}
 * @param directory the tap's folder there
 * @param ring number among the tap's rings
 */
public record RingName(String host, String directory, int ring) implements Serializable {
  @Override
  public String toString() {
    return host + ":" + directory + "/" + ring;
  }
}
