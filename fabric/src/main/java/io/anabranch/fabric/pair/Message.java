package io.anabranch.fabric.pair;

/**
 * One WRITE of a flow, as planned.
 *
 * @param index its place in the flow
 * @param ref the handle of its bytes, unique in the run
 * @param bytes its length
 * @param withImmediate whether it carries an immediate
 * @param immediate the immediate
 * @param signaled whether success is reported
 * @param solicited whether it asks for a solicited event
 * @param regionOffset where it goes, from the region's start
 * @param remoteAddress where it goes, as the responder's virtual address
 * @param rKey the key it names
 * @param firstPacket packets of the flow before it
 * @param packets packets it takes
 * @param immediatesBefore WRITEs with Immediate of the flow before it
 * @param poisoned whether the responder must refuse it
 */
record Message(
    int index,
    int ref,
    long bytes,
    boolean withImmediate,
    int immediate,
    boolean signaled,
    boolean solicited,
    long regionOffset,
    long remoteAddress,
    int rKey,
    int firstPacket,
    int packets,
    int immediatesBefore,
    boolean poisoned) {
  /** The last packet's number in the flow. */
  int lastPacket() {
    return firstPacket + packets - 1;
  }
}
