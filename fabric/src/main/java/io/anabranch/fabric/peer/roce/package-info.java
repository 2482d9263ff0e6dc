/** RoCEv2 with reliable connections, as one of the transports that MRC is compared with. */
@NullMarked
package io.anabranch.fabric.peer.roce;

import org.jspecify.annotations.NullMarked;
