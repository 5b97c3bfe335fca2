// SPDX-License-Identifier: Apache-2.0
/** What a packet record, a flow and a key group are. The JDK alone. */
package dev.flowstone.model;
