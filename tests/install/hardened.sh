#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hardened.sh COMMAND SHARED STATIC: what cmake/harden.cmake asks for is in the binaries.
set -eu
command=$1 shared=$2 static=$3
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
holds "the command may lie anywhere (PIE)" "$(found 'Type:.*DYN' "$command" -h)"
for file in "$command" "$shared"; do
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
exit $bad
