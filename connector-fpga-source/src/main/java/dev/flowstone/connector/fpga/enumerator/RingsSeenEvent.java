// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingSighting;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;

/** A reader tells the enumerator, which cannot see rings, what there is on its host. */
public final class RingsSeenEvent implements SourceEvent {
  private static final long serialVersionUID = 1L;

  private final String host;
  private final ArrayList<RingSighting> sightings;

  private final long look;

  /**
   * @param look the last that the reader was asked for, see {@link LookAgainEvent}; 0 before any
   */
  public RingsSeenEvent(String host, List<RingSighting> sightings, long look) {
    this.look = look;
    this.host = host;
    this.sightings = new ArrayList<>(sightings);
  }

  public String host() {
    return host;
  }

  public List<RingSighting> sightings() {
    return sightings;
  }

  public long look() {
    return look;
  }
}
