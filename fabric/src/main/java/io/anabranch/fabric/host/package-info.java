/** Hosts: one engine per NIC, driven in virtual time. */
@NullMarked
package io.anabranch.fabric.host;

import org.jspecify.annotations.NullMarked;
