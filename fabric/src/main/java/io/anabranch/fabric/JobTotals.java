package io.anabranch.fabric;

/**
 * Counts of a job's data packets so far.
 *
 * @param delivered arrived whole at their host, copies included
 * @param retransmitted sent again
 * @param trimmed arrived cut down to their headers
 * @param ecnMarked arrived whole with a mark
 */
public record JobTotals(long delivered, long retransmitted, long trimmed, long ecnMarked) {}
