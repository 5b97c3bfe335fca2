// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import java.io.Serializable;
import java.time.Duration;
import java.util.List;

/**
 * What {@link FpgaSourceBuilder} gathered; each option is explained there.
 *
 * @param ringDirectories folders of ring files, on every TaskManager's host
 * @param hosts that have taps, by the names their TaskManagers give them; empty: all
 * @param readerName under which the rings know this job
 * @param laneExpiry silence after which a tap may take the job for gone
 * @param endingPosition where rings end
 * @param startingPosition where unknown rings begin
 * @param releaseMode when ring space is given back
 * @param blockRecords most packets of a block
 * @param minimumBlockRecords packets that are waited for, 1: none
 * @param maximumBlockWait how long
 * @param outOfOrderness how far the watermark stays behind the ring's clock
 * @param discoveryInterval between two looks at the folders
 * @param idleTimeout without a word from a ring, until watermarks do not wait for it
 * @param verifyKeyGroups whether one packet of each block is checked for its ring
 * @param requireOwnKeyGroups whether each subtask's rings must hold its own key groups only
 */
public record FpgaSourceOptions(
    List<String> ringDirectories,
    List<String> hosts,
    String readerName,
    Duration laneExpiry,
    EndingPosition endingPosition,
    StartingPosition startingPosition,
    ReleaseMode releaseMode,
    int blockRecords,
    int minimumBlockRecords,
    Duration maximumBlockWait,
    Duration outOfOrderness,
    Duration discoveryInterval,
    Duration idleTimeout,
    boolean verifyKeyGroups,
    boolean requireOwnKeyGroups)
    implements Serializable {

  public FpgaSourceOptions {
    ringDirectories = List.copyOf(ringDirectories);
    hosts = List.copyOf(hosts);
  }

  /** Whether the source ends by itself. */
  public boolean bounded() {
    return endingPosition != EndingPosition.NEVER;
  }
}
