/**
 * Faults on purpose: a device that loses, delays, reorders, duplicates, damages, marks and trims
 * packets, and the one grammar in which users ask for it. docs/faults.md has examples.
 */
@NullMarked
package io.anabranch.net.fault;

import org.jspecify.annotations.NullMarked;
