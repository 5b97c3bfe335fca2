// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import java.util.Locale;

/** How Kafka compresses the requests that carry messages. */
public enum Compression {
  NONE,
  LZ4,
  ZSTD;

  /** As {@code compression.type} wants it. */
  String kafkaName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
