# SPDX-License-Identifier: Apache-2.0
# bash completion for onefold. What can be completed is asked of the command itself ('onefold
# --list', 'onefold --list VERB'), so it is always what the installed command takes.

_onefold_list()
{
    "${COMP_WORDS[0]}" --list "$@" 2>/dev/null | grep -v '(not in this build)$'
}

_onefold()
{
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local verb=${COMP_WORDS[1]} argument IFS=$'\n'
    COMPREPLY=()
    # "--base=ex" comes as three words
    if [[ $current == "=" ]]; then
        current=
    elif [[ $before == "=" ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$(_onefold_list | cut -f1)"$'\n--help\n--version' -- "$current"))
        return
    fi
    if [[ $before == --* ]]; then
        argument=$(_onefold_list "$verb" | awk -F'\t' -v name="$before" '$1 == name { print $2 }')
        if [[ $argument =~ ^[a-z0-9-]+(\|[a-z0-9-]+)+$ ]]; then
            COMPREPLY=($(compgen -W "${argument//|/$'\n'}" -- "$current"))
            return
        elif [[ $argument == *FILE* ]]; then
            COMPREPLY=($(compgen -f -- "$current"))
            return
        elif [[ -n $argument ]]; then
            return
        fi
    fi
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$(_onefold_list "$verb" | cut -f1)" -- "$current"))
    else
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}

complete -o filenames -F _onefold onefold
