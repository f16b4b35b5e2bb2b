# SPDX-License-Identifier: Apache-2.0
# The completion for zsh: what it hands to the shell's own functions.
command -v zsh >/dev/null || { echo "zsh is not installed"; exit 77; }
touch data.npz
cat >drive.zsh <<'END'
_describe() { print -r -- "  describe $3"; print -rl -- ${(P)4} >$3 }
_files() { print "  files" }
_message() { print -r -- "  message $1" }
compadd() { print -r -- "  words $*" }
completes() {
    words=("$@") CURRENT=$# PREFIX=${@[-1]}
    print -r -- "$*_"
    source $ONEFOLD_SOURCE/cli/completions/_onefold
}
completes onefold ''
completes onefold score --
completes onefold fit --base ''
completes onefold fit --labels ''
completes onefold fit --clusters ''
completes onefold fit da
END
# zsh runs the last part of a pipeline in itself, and the leak sanitizer then can wait for ever for
# the threads of the part before it. What leaks is looked for where no shell of this kind is between.
ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 zsh -f drive.zsh

# Every verb and option that is in this build is offered with its line of help, and nothing else.
offered() { onefold --list "$@" | grep -v '(not in this build)' | sed 's/\t.*\t/:/'; }
{ offered; printf '%s\n' '--help:the verbs' '--version:the features of this build'; } | diff - verb &&
    echo "all verbs"
offered score | diff - option && echo "all options"
