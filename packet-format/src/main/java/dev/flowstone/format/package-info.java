// SPDX-License-Identifier: Apache-2.0
/**
 * Many packets in one message: {@link dev.flowstone.format.PacketBatchEncoder} packs a run of
 * packet records, {@link dev.flowstone.format.PacketBatchDecoder} unpacks it. Knows nothing of
 * Flink or Kafka.
 */
package dev.flowstone.format;
