// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import java.io.Serializable;

/** The gaps of a flow after sorting its times. */
record FlowGaps(UnsortedFlow flow, Gaps gaps) implements Serializable {}
