@NullMarked
package io.anabranch.tools.run;

import org.jspecify.annotations.NullMarked;
