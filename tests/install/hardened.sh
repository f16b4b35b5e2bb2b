#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hardened.sh COMMANDS STATIC SHARED BENCH PROGRAM...: what cmake/harden.cmake asks for is in the binaries, and in the command
# that compiled each file of src/ and cli/ (COMMANDS: compile_commands.json), for what a binary does not show.
set -eu
commands=$1 static=$2 shared=$3 bench=$4
shift 4
bad=0
holds() { # holds WHAT TEXT: there is such a text
    if [ -n "$2" ]; then echo "yes: $1"; else echo "NO: $1" && bad=1; fi
}
lacks() {
    if [ -z "$2" ]; then echo "yes: $1"; else echo "NO: $1: $2" && bad=1; fi
}
found() { # found PATTERN FILE OPTION...: the lines that readelf has of it
    pattern=$1 file=$2
    shift 2
    readelf -W "$@" "$file" | grep -E "$pattern" || true
}
for file in "$@"; do
    holds "$(basename "$file") may lie anywhere (PIE)" "$(found 'Type:.*DYN' "$file" -h)"
done
for file in "$@" "$shared" "$bench"; do
    name=$(basename "$file")
    holds "$name: tables of addresses become read-only (RELRO)" "$(found GNU_RELRO "$file" -l)"
    holds "$name: before main (BIND_NOW)" "$(found 'BIND_NOW|Flags:.*NOW' "$file" -d)"
    lacks "$name: the stack cannot be run" "$(found 'GNU_STACK.*RWE' "$file" -l)"
    lacks "$name: nothing can be both written and run" "$(found 'LOAD.*RWE' "$file" -l)"
    holds "$name: guards on the stack" "$(found '__stack_chk_fail' "$file" --dyn-syms)"
    holds "$name: checked calls of libc (FORTIFY)" "$(found '_chk(@|$)' "$file" --dyn-syms | grep -v stack_chk || true)"
done
if [ "$(uname -m)" = x86_64 ]; then
    # the linker leaves the mark out of a program whose libc was built without it: our own objects have it
    holds "jumps land where functions begin (CET)" "$(found 'IBT, SHSTK' "$static" -n | head -n 1)"
    lacks "in every object of ours" "$(found 'File:|IBT' "$static" -n |
        awk '/File:/ { if (open) print open; open = $0 } /IBT/ { open = "" } END { if (open) print open }')"
fi
lacks "loading the library runs nothing of ours (no constructor)" "$(found '\.(init|fini)_array|\.[cd]tors' "$static" -S)"
# sources that are compiled for tests, which are not installed, are left out
compiled=$(grep -E '"command": .* -c [^ ]*/(src|cli)/[^ ]*\.c"' "$commands" | grep -v ' -o tests/')
holds "$(echo "$compiled" | wc -l) files compiled" "$(echo "$compiled" | head -c 1)"
flags="-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -O[23]"
case $(uname -m) in x86_64) flags="$flags -fcf-protection=full" ;; esac
for flag in $flags; do
    lacks "every file is compiled with $flag" "$(echo "$compiled" | grep -vE -e " $flag( |$)" |
        sed 's/.* -c \([^ ]*\)".*/\1/' | head -n 3)"
done
for flag in -U_FORTIFY_SOURCE -fno-stack -fcf-protection=none -z,execstack -no-pie; do
    lacks "and none with ${flag}, later on the line" "$(echo "$compiled" | grep -E -e "_FORTIFY_SOURCE=3.* $flag" | head -n 1)"
done
exit $bad
