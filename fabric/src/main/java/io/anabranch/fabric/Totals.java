package io.anabranch.fabric;

import java.util.SortedMap;

/**
 * Counts of a whole run.
 *
 * @param delivered data packets that arrived whole at their host, copies included
 * @param retransmitted data packets sent again
 * @param trimmed packets cut down by switches
 * @param dropped packets dropped, by cause
 * @param ecnMarked packets marked
 * @param hops packets fully serialised on a link, of any kind
 * @param events events, but for those of switches' ports
 */
public record Totals(
    long delivered,
    long retransmitted,
    long trimmed,
    SortedMap<String, Long> dropped,
    long ecnMarked,
    long hops,
    long events) {}
