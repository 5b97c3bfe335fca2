// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.format;

import dev.flowstone.sql.connector.packets.PacketColumn;
import dev.flowstone.sql.factories.MessageFactory;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.serialization.SerializationSchema;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.format.DecodingFormat;
import org.apache.flink.table.connector.format.EncodingFormat;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;

/** Batches of packets in messages: {@code 'format' = 'packets'}. */
public final class PacketsFormatFactory implements MessageFactory {
  static final ConfigOption<Boolean> IGNORE_PARSE_ERRORS =
      ConfigOptions.key("ignore-parse-errors")
          .booleanType()
          .defaultValue(true)
          .withDescription(
              "Whether messages that are not packet batches are skipped and counted"
                  + " (`unreadableMessages`). If false, such a message fails the query.");

  private static final String IDENTIFIER = "packets";

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(IGNORE_PARSE_ERRORS);
  }

  @Override
  public DecodingFormat<DeserializationSchema<RowData>> createDecodingFormat(
      DynamicTableFactory.Context context, ReadableConfig options) {
    FactoryUtil.validateFactoryOptions(this, options);
    return new DecodedPackets(
        options.get(IGNORE_PARSE_ERRORS), DecodedPackets.isJoined(context.getCatalogTable()));
  }

  @Override
  public EncodingFormat<SerializationSchema<RowData>> createEncodingFormat(
      DynamicTableFactory.Context context, ReadableConfig options) {
    FactoryUtil.validateFactoryOptions(this, options);
    return new EncodedPackets();
  }

  private static final class EncodedPackets
      implements EncodingFormat<SerializationSchema<RowData>> {
    @Override
    public SerializationSchema<RowData> createRuntimeEncoder(
        DynamicTableSink.Context context, DataType physical) {
      MessageColumns columns = MessageColumns.of(physical);
      List<PacketColumn> ofPacket = columns.ofPacket();
      if (!ofPacket.contains(PacketColumn.TIME_NS) && !ofPacket.contains(PacketColumn.ROWTIME)) {
        throw new ValidationException("packets have a time: there is no time_ns and no rowtime");
      }
      return new RowPackets(columns);
    }

    @Override
    public ChangelogMode getChangelogMode() {
      return ChangelogMode.insertOnly();
    }
  }
}
