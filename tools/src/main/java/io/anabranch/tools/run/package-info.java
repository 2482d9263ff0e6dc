/** Endpoints, transfers and the demonstration that the commands run. */
@NullMarked
package io.anabranch.tools.run;

import org.jspecify.annotations.NullMarked;
