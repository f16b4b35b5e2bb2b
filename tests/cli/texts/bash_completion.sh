# SPDX-License-Identifier: Apache-2.0
# The completion for bash, as the shell would call it.
source "$ONEFOLD_SOURCE/cli/completions/onefold.bash"
complete -p onefold
touch data.npz

# The words of a line up to the cursor, the last one being completed.
completes() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _onefold
    echo "$*_ -> $(printf '%s ' "${COMPREPLY[@]}")"
}

completes onefold ''
completes onefold sy
completes onefold fit da
completes onefold fit --res
completes onefold fit --base ''
completes onefold fit --base ex
completes onefold fit --base = ny
completes onefold fit --base =
completes onefold fit --kernel pre
completes onefold fit --labels da
completes onefold fit --truth da
completes onefold fit --clusters ''
completes onefold fit --mod
completes onefold score --re
completes onefold nonsense --

# Every option that is in this build is offered, and nothing else.
for verb in fit score bench info convert synth; do
    completes onefold $verb -- >/dev/null
    printf '%s\n' "${COMPREPLY[@]}" | sort -u >offered
    onefold --list $verb | grep -v '(not in this build)' | cut -f1 | sort -u | diff - offered &&
        echo "$verb: all options"
done
