// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.results.JsonResult;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultKey;

/**
 * A result on its way to Kafka.
 *
 * @param key keeps results about the same thing in one partition, in order
 */
public record ResultMessage(String topic, String key, String json) {

  /** To the topic of its rule, or else to the usual one. */
  public static ResultMessage of(Result result, String usualTopic) {
    String topic = result.rule().hasTopic() ? result.rule().topic() : usualTopic;
    return new ResultMessage(topic, ResultKey.of(result), JsonResult.of(result));
  }
}
