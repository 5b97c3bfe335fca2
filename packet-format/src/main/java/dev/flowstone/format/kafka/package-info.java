// SPDX-License-Identifier: Apache-2.0
/**
 * Packet batches as values of Kafka messages, for plain consumers, Kafka Streams and the console.
 * Needs kafka-clients only.
 */
package dev.flowstone.format.kafka;
