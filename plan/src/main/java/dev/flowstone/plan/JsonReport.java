// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Locale;

/** A plan as one line of JSON: numbers in the units that stand beside them, not rounded. */
final class JsonReport {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private JsonReport() {}

  static String of(Plan plan) {
    ObjectNode line = MAPPER.createObjectNode();
    line.put("servers", plan.site().servers());
    line.put("packets_per_second", plan.site().traffic().packetsPerSecond());
    line.put("flows", plan.site().traffic().flows());
    ObjectNode needs = line.putObject("needs");
    for (Group group : plan.groups()) {
      ObjectNode amounts = needs.putObject(key(group.name()));
      group.amounts().forEach(amount -> put(amounts.putObject(key(amount.name())), amount));
    }
    ObjectNode limits = line.putObject("limits");
    plan.limits().forEach(check -> put(limits.putObject(key(check.limit().name())), check));
    line.put("fits", plan.fits());
    plan.commands().forEach(line.putArray("commands")::add);
    line.put("costs_measured_on", plan.machine());
    line.put("speed", plan.speed());
    try {
      return MAPPER.writeValueAsString(line);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the plan cannot be written as JSON", e);
    }
  }

  private static String key(String name) {
    return name.replaceAll("[^A-Za-z0-9]+", "_").replaceAll("^_|_$", "").toLowerCase(Locale.ROOT);
  }

  private static void put(ObjectNode node, Amount amount) {
    if (!Double.isNaN(amount.each())) {
      node.put("one_server", amount.each());
    }
    if (!Double.isNaN(amount.all())) {
      node.put("all", amount.all());
    }
    node.put("unit", amount.unit().key()).put("how", amount.how());
  }

  private static void put(ObjectNode node, LimitCheck check) {
    node.put("needs", check.needed()).put("there_is", check.there());
    node.put("unit", check.limit().unit().key());
    if (Double.isFinite(check.mostPacketsPerSecond())) {
      node.put("holds_up_to_packets_per_second", check.mostPacketsPerSecond());
    }
    node.put("fits", check.fits()).put("remedy", check.limit().remedy());
  }
}
