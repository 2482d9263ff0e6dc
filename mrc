#!/bin/sh
# Runs mrc from a source tree: finds a JDK, builds when something changed, starts.
# MRC_JAVA_OPTS adds JVM flags. Exit codes: 0 done, 1 the work or the build failed, 2 wrong use.

set -u
need=25

# The project's folder, also when called through a symbolic link.
self=$0
while [ -h "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
case $self in
  */*) root=$(CDPATH='' cd "${self%/*}" && pwd -P) || exit 1 ;;
  *) root=$(pwd -P) ;;
esac
home=$root/target/mrc # what runs: the jar, its AOT cache, and what they were made from

say() { printf 'mrc: %s\n' "$*" >&2; }
tell() { if [ -t 2 ]; then say "$@"; fi; }

# ---- JDK ----

# Sets major to the Java version of the JDK in folder $1, or to 0 if there is none; starts no JVM.
version_of() {
  major=0
  if [ ! -x "$1/bin/java" ] || [ ! -x "$1/bin/javac" ] || [ ! -r "$1/release" ]; then
    return
  fi
  while IFS='=' read -r key value; do
    if [ "$key" = JAVA_VERSION ]; then
      value=${value#\"}
      value=${value%%[!0-9]*}
      major=${value:-0}
      return
    fi
  done <"$1/release"
}

# Takes the JDK in folder $1 if it is new enough and nearer to the version we test with.
consider() {
  version_of "$1"
  if [ "$major" -ge "$need" ] && { [ -z "$jdk" ] || [ "$major" -lt "$jdk_major" ]; }; then
    jdk=$1
    jdk_major=$major
  fi
}

find_jdk() {
  jdk=
  if [ -n "${JAVA_HOME:-}" ]; then
    consider "$JAVA_HOME"
  fi
  if [ -z "$jdk" ]; then
    for dir in /usr/lib/jvm/* /opt/* "${HOME:-/}"/.sdkman/candidates/java/* "${HOME:-/}"/.jdks/* \
      /Library/Java/JavaVirtualMachines/*/Contents/Home; do
      consider "$dir"
    done
  fi
  if [ -z "$jdk" ] && command -v java >/dev/null; then
    java=$(readlink -f "$(command -v java)" 2>/dev/null) || java=
    consider "${java%/bin/java}"
  fi
  if [ -z "$jdk" ]; then
    say "needs a JDK $need or newer, and none is in JAVA_HOME, in the usual folders or on PATH."
    say "Get one from https://adoptium.net (or: sdk install java $need-tem; brew install openjdk@$need;"
    say "apt install openjdk-$need-jdk where the distribution has it), then set JAVA_HOME to its folder."
    exit 1
  fi
}

# ---- Build ----

# Whether any source, build file or folder (a removed file) is newer than what is built.
is_stale() {
  if [ ! -f "$home/mrc.jar" ] || [ ! -f "$home/mrc.aot" ]; then
    return 0
  fi
  read -r built_with <"$home/jdk"
  # shellcheck disable=SC3013 # -nt is POSIX since 2024, and in every sh before
  if [ "$built_with" != "$jdk" ] || [ "$jdk/release" -nt "$home/stamp" ]; then
    return 0
  fi
  [ -n "$(find "$root"/pom.xml "$root"/*/pom.xml "$root"/*/src/main "$root"/.mvn \
    -newer "$home/stamp" -print -quit)" ]
}

fail_build() {
  say "the build failed; the end of $root/target/mrc-build.log:"
  tail -n 30 "$root/target/mrc-build.log" >&2
  exit 1
}

# Makes the new folder beside the old one and swaps: a running mrc keeps the jar it has open.
build() {
  new=$home.new
  rm -rf "$new"
  mkdir -p "$new" || exit 1
  : >"$new/stamp" # before the build, so that an edit during it counts as newer
  printf '%s\n' "$jdk" >"$new/jdk"
  if [ -f "$home/mrc.jar" ]; then
    tell "something changed; building"
  else
    tell "building for the first time; this takes a minute"
  fi
  (cd "$root" && JAVA_HOME=$jdk ./mvnw -q -B -Dmaven.test.skip=true -Djacoco.skip=true \
    -pl tools -am package) >"$root/target/mrc-build.log" 2>&1 </dev/null || fail_build
  # Old class files are made modern, so that the AOT cache takes them; without that a start takes
  # longer, no more.
  "$jdk/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$root/tools/target/mrc.jar" \
    io.anabranch.tools.cli.Repack "$root/tools/target/mrc.jar" "$new/mrc.jar" \
    >>"$root/target/mrc-build.log" 2>&1 </dev/null ||
    cp "$root/tools/target/mrc.jar" "$new/mrc.jar" || exit 1
  rm -rf "$home.old"
  if [ -d "$home" ]; then
    mv "$home" "$home.old"
  fi
  mv "$new" "$home" || exit 1
  rm -rf "$home.old"
  # The cache is valid only for the path, size and time of the jar that it was recorded with.
  # A JVM that cannot make one starts without it.
  "$jdk/bin/java" -XX:AOTCacheOutput="$home/mrc.aot" -XX:+UseSerialGC \
    -cp "$home/mrc.jar" io.anabranch.tools.cli.Training \
    >>"$root/target/mrc-build.log" 2>&1 </dev/null || : >"$home/mrc.aot"
}

build_once() {
  mkdir -p "$root/target" || exit 1
  if command -v flock >/dev/null; then
    exec 9>"$root/target/mrc.lock"
    if ! flock -n 9; then
      tell "waiting for another build"
      flock 9
    fi
    if is_stale; then
      build
    fi
    exec 9>&-
  else
    # No flock (macOS): a folder is the lock; its owner's process id tells a live one from a dead one.
    until mkdir "$root/target/mrc.lockdir" 2>/dev/null; do
      owner=$(cat "$root/target/mrc.lockdir/pid" 2>/dev/null)
      if [ -n "$owner" ] && ! kill -0 "$owner" 2>/dev/null; then
        rm -rf "$root/target/mrc.lockdir"
      else
        sleep 1
      fi
    done
    trap 'rm -rf "$root/target/mrc.lockdir"' EXIT
    trap 'exit 1' HUP INT TERM
    echo $$ >"$root/target/mrc.lockdir/pid"
    if is_stale; then
      build
    fi
    rm -rf "$root/target/mrc.lockdir"
    trap - EXIT HUP INT TERM
  fi
}

# ---- Start ----

find_jdk
if is_stale; then
  build_once
fi

# Commands that move data get the full compiler and a heap of their own; the hot paths allocate
# nothing, so the simplest collector (cheapest barriers, no threads of its own) suits them best.
# Runs of many simulations at once keep several threads allocating: the parallel collector.
# Everything else, and help on anything, only has to start fast.
command=
for arg in "$@"; do
  case $arg in
    -h | --help | -V | --version)
      command=help
      break
      ;;
    --) break ;;
    -*) ;;
    *) command=${command:-$arg} ;;
  esac
done
gc=-XX:+UseSerialGC
case $command in
  demo | send | recv) flags='-Xms256m -Xmx1g' ;;
  decode) flags=-Xmx512m ;;
  sim)
    # Most simulations last seconds: the full compiler would cost more than it saves, and waiting
    # for memory is most of the work, which huge pages shorten (docs/benchmarks.md).
    flags='-XX:TieredStopAtLevel=1 -XX:C1MaxInlineSize=50 -XX:C1MaxInlineLevel=12'
    flags="$flags"' -XX:+UseTransparentHugePages -Xms256m -Xmn160m -XX:MaxRAMPercentage=60'
    ;;
  replay | run | compare)
    gc=-XX:+UseParallelGC
    flags=-XX:MaxRAMPercentage=60
    ;;
  *) flags='-XX:TieredStopAtLevel=1 -Xmx256m' ;;
esac
case ${MRC_JAVA_OPTS:-} in
  *-XX:+Use*GC*) gc= ;; # the JVM refuses two
esac
# Without a locale, as services run, Java could neither read nor make file names beyond ASCII.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-C}}} in
  C | POSIX)
    LC_ALL=C.UTF-8
    export LC_ALL
    ;;
esac
if [ -s "$home/mrc.aot" ]; then
  flags="-Xlog:aot=off -Xlog:cds=off $flags" # a cache that does not fit some flag is no one's concern
  set -- -XX:AOTCache="$home/mrc.aot" -jar "$home/mrc.jar" "$@"
else
  set -- -jar "$home/mrc.jar" "$@"
fi

# -jar: its manifest grants native access, which as a flag would rule out half of the AOT cache.
# shellcheck disable=SC2086 # flags are words
exec "$jdk/bin/java" $gc $flags ${MRC_JAVA_OPTS:-} "$@"
