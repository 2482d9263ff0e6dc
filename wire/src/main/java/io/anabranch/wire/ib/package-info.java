/**
 * InfiniBand transport headers as RoCEv2 carries them, their field tables and the invariant CRC.
 */
@NullMarked
package io.anabranch.wire.ib;

import org.jspecify.annotations.NullMarked;
