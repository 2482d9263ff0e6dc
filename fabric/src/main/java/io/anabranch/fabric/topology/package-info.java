/** How hosts and switches are wired, and which link a switch chooses: by computation. */
@NullMarked
package io.anabranch.fabric.topology;

import org.jspecify.annotations.NullMarked;
