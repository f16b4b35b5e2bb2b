# SPDX-License-Identifier: Apache-2.0
# The manual page names every option of the tables and every verb, names no other option, and is
# clean.
page=$ONEFOLD_SOURCE/man/onefold.1
known=$(for verb in $(onefold --list | cut -f1); do onefold --list "$verb"; done |
    cut -f1 | sort -u)
own=$(onefold --list fit | cut -f1 | grep -E "^--($(onefold --list fit | awk -F'\t' '$1 == "--method" { print $2 }'))-")
plain=$(sed 's/\\-/-/g; s/\\f.//g' "$page")
for option in $known; do
    grep -qx -e "$option" <<<"$own" && continue # a method's own options: onefold fit --help
    grep -q -e "$option\b" <<<"$plain" || echo "not in the manual: $option"
done
synopsis=$(sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' <<<"$plain")
for verb in $(onefold --list | cut -f1); do
    grep -q -e "^\.B onefold $verb$" <<<"$synopsis" || echo "not in the synopsis: $verb"
    grep -q -e "^\.B $verb$" <<<"$plain" || echo "not among the verbs of the manual: $verb"
done
for option in $(grep -oE -e '--[a-z][a-z-]*' <<<"$plain" | sort -u); do
    case $option in --name | --list) continue ;; esac
    grep -qx -e "$option" <<<"$known" || echo "in the manual only: $option"
done
grep -q "onefold $(onefold --version | head -1 | cut -d' ' -f2)" "$page" || echo "another version"
if command -v groff >/dev/null; then
    groff -man -ww -Tascii -z "$page" 2>&1
fi
