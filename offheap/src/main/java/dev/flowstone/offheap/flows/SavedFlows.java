// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * A page of a key group as state has it.
 *
 * @param number of the page in its key group
 * @param size of its entries
 * @param isSaved whether state has it as it is after it was put back, too
 * @param content unpacks the page, see {@link PackedPage#unpack}; a page is unpacked twice, so that
 *     the pages of a group need not be in memory together
 */
public record SavedFlows(
    int number, FlowTableSize size, boolean isSaved, Supplier<MemorySegment> content) {}
