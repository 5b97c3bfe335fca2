// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.table.functions.FunctionDefinition;
import org.apache.flink.table.module.Module;

/** All functions at once: {@code LOAD MODULE flowstone}. */
public final class FlowstoneModule implements Module {
  private static final Map<String, FunctionDefinition> FUNCTIONS =
      Map.of(
          "histogram_quantile", new HistogramQuantile(),
          "histogram_count", new HistogramCount(),
          "histogram_merge", new HistogramMerge(),
          "in_prefix", new InPrefix(),
          "prefix_of", new PrefixOf(),
          "flow_hash", new FlowHashOf(),
          "tcp_flags_text", new TcpFlagsText(),
          "ip_text", new IpText());

  /** By the names that Flink's planner asks for when it offers a condition to a source. */
  private static final Map<String, FunctionDefinition> COMPACT =
      FUNCTIONS.entrySet().stream()
          .collect(Collectors.toMap(each -> each.getKey().replace("_", ""), Map.Entry::getValue));

  @Override
  public Set<String> listFunctions() {
    return FUNCTIONS.keySet();
  }

  @Override
  public Set<String> listFunctions(boolean includeHidden) {
    return includeHidden
        ? Stream.concat(FUNCTIONS.keySet().stream(), COMPACT.keySet().stream())
            .collect(Collectors.toUnmodifiableSet())
        : listFunctions();
  }

  @Override
  public Optional<FunctionDefinition> getFunctionDefinition(String name) {
    String asked = name.toLowerCase(Locale.ROOT);
    return Optional.ofNullable(FUNCTIONS.getOrDefault(asked, COMPACT.get(asked)));
  }
}
