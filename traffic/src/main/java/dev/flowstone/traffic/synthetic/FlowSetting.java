// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/** What all flows of a run share. */
record FlowSetting(
    FlowBlocks blocks,
    FlowLedger ledger,
    Hosts hosts,
    FlowSizes sizes,
    SegmentWriter segments,
    DatagramWriter datagrams,
    FrameTemplate template,
    PacketClock clock,
    SplittableRandom random) {}
