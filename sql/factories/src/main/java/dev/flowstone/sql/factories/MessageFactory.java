// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.factories;

import org.apache.flink.table.factories.DeserializationFormatFactory;
import org.apache.flink.table.factories.SerializationFormatFactory;

/** Of a format that is read and written. */
public interface MessageFactory extends DeserializationFormatFactory, SerializationFormatFactory {}
