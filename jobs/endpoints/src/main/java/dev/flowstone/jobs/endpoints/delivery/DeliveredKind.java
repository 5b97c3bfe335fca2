// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.delivery;

import dev.flowstone.blocks.WeightedBlock;
import java.io.Serializable;

/** What a sink delivers, in words and in numbers. */
sealed interface DeliveredKind<T> extends Serializable {
  /** In messages and in the names of counters. */
  String plural();

  TransactionContents<T> contents();

  /** Packets in batches: what is lost can be told to their readers. */
  record Packets() implements DeliveredKind<WeightedBlock> {
    @Override
    public String plural() {
      return "packets";
    }

    @Override
    public TransactionContents<WeightedBlock> contents() {
      return new PacketContents();
    }
  }

  /** Results, one in a message: what is lost can be counted. */
  record Results() implements DeliveredKind<ResultMessage> {
    @Override
    public String plural() {
      return "results";
    }

    @Override
    public TransactionContents<ResultMessage> contents() {
      return new ResultContents();
    }
  }
}
