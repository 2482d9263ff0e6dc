/** Reading and writing of packet captures, pcapng and pcap, as streams. */
@NullMarked
package io.anabranch.wire.pcap;

import org.jspecify.annotations.NullMarked;
