/**
 * The seam: the engine's few calls, what goes in (commands, memory) and what comes out
 * (completions, events), and the RTT estimate that acknowledgement, probes, loss detection and
 * congestion control share. Knows no clock, thread, socket or file. The implementation is {@code
 * engine.endpoint}.
 */
@NullMarked
package io.anabranch.engine;

import org.jspecify.annotations.NullMarked;
