package io.anabranch.fabric.pair;

/**
 * What a run came to.
 *
 * @param seed its seed
 * @param family its kind of trouble
 * @param endNs virtual time at which everything was complete
 * @param events events stepped through
 * @param framesSent frames out of both engines
 * @param framesLost frames that never arrived
 * @param dataPackets different data packets sent
 * @param retransmitted further copies of them
 * @param completions completions reported
 * @param failedQps queue pairs that ended in ERROR
 * @param digest hash over every frame, completion and write, in order: equal runs, equal digests
 */
public record PairResult(
    long seed,
    PairFamily family,
    long endNs,
    long events,
    long framesSent,
    long framesLost,
    long dataPackets,
    long retransmitted,
    long completions,
    int failedQps,
    long digest) {}
