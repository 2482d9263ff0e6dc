@NullMarked
package io.anabranch.fabric.workload;

import org.jspecify.annotations.NullMarked;
