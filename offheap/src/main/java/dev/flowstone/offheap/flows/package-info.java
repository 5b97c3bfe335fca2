// SPDX-License-Identifier: Apache-2.0
/** Flows and what is kept of each, off the heap: found by the block, saved by the page. */
package dev.flowstone.offheap.flows;
