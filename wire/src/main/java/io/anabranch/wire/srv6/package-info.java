/** SRv6 with compressed segments: uSID containers, SRH, IPv6 in IPv6, structured entropy values. */
@NullMarked
package io.anabranch.wire.srv6;

import org.jspecify.annotations.NullMarked;
