package io.anabranch.fabric.host;

/**
 * A chance by which data packets and probes of one EV are lost.
 *
 * @param host the sender, or −1 for every host
 * @param plane counted from 0
 * @param ev the EV
 * @param probability 0 … 1
 */
public record EvLoss(int host, int plane, int ev, double probability) {}
