// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.factories;

import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.format.EncodingFormat;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableFactory;

/** {@code 'format' = 'packets'}. */
public final class PacketMessages extends Behind<MessageFactory> implements MessageFactory {
  public PacketMessages() {
    super(
        "packets", "dev.flowstone.sql.connector.format.PacketsFormatFactory", MessageFactory.class);
  }

  @Override
  public DecodingFormat<DeserializationSchema<RowData>> createDecodingFormat(
      DynamicTableFactory.Context context, ReadableConfig options) {
    return it().createDecodingFormat(context, options);
  }

  @Override
  public EncodingFormat<SerializationSchema<RowData>> createEncodingFormat(
      DynamicTableFactory.Context context, ReadableConfig options) {
    return it().createEncodingFormat(context, options);
  }
}
