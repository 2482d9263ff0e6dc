/** Links and the ports that feed them: rates, queues, classes, marking, trimming. */
@NullMarked
package io.anabranch.fabric.link;

import org.jspecify.annotations.NullMarked;
