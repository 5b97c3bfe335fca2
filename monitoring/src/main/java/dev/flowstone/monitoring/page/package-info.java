/**
 * {@code ./flowstone page}: what rings, Flink's REST interface and QuestDB tell everybody, as a
 * page for people. Asks nothing but what is written here, whatever a browser sends.
 */
package dev.flowstone.monitoring.page;
