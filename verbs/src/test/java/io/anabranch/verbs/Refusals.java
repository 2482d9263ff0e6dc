package io.anabranch.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.anabranch.verbs.MrcException.Code;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Asserts that a call is refused, with which code, and that the message names what it must. */
final class Refusals {
  private Refusals() {}

  static MrcException assertRefused(Code code, ThrowingCallable call, String... names) {
    MrcException e = catchThrowableOfType(MrcException.class, call);
    assertThat(e).as("not refused").isNotNull();
    assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
    assertThat(e.getMessage()).contains(names);
    return e;
  }
}
