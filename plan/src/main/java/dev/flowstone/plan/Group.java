// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.List;

/** Lines of a plan that belong together. */
record Group(String name, List<Amount> amounts) {}
