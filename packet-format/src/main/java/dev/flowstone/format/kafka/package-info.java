// SPDX-License-Identifier: Apache-2.0
/**
 * Packet batches as values of Kafka messages, for plain consumers and Kafka Streams. Needs
 * kafka-clients only.
 */
package dev.flowstone.format.kafka;
