// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

import dev.flowstone.raw.LossTally;
import dev.flowstone.raw.MalformedCounts;

/** What the readers of one source met besides packets. One thread. */
final class CaptureCounts {
  final MalformedCounts malformed = new MalformedCounts();
  final LossTally losses = new LossTally();
  long skipped;
  long receiveErrors;
}
