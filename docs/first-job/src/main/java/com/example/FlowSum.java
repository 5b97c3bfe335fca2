// SPDX-License-Identifier: Apache-2.0
package com.example;

/** What is added up; the public fields let Flink write it into checkpoints. */
public final class FlowSum {
  public long packets;
  public long bytes;
}
