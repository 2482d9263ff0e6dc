/** Traffic: what is to be sent, from where to where, and what starts it. */
@NullMarked
package io.anabranch.fabric.workload;

import org.jspecify.annotations.NullMarked;
