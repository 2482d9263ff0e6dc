@NullMarked
package io.anabranch.wire.pcap;

import org.jspecify.annotations.NullMarked;
