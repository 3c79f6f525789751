# bash completion for erlbpf(8).
#
# Commands and options come from `erlbpf help --complete`, so nothing here has to follow when a tool or an
# option is added. Nothing is attached: probe names come from `erlbpf list`, which only reads,
# and where it sees no VM (no privileges, none running) there are none.
# shellcheck shell=bash

# The program of the command line; under sudo it may be in a directory that is not in our PATH.
_erlbpf_program()
{
	local path
	for path in "${COMP_WORDS[0]/#\~/$HOME}" /usr/local/sbin/erlbpf /usr/sbin/erlbpf; do
		type -P -- "$path" && return
	done
	return 1
}

# Names of the tools and of the other commands.
_erlbpf_commands()
{
	local kind name rest
	while IFS=$'\t' read -r kind name rest; do
		[[ $kind == command ]] && echo "$name"
	done < <("$1" help --complete 2> /dev/null)
}

# Reads the table of a command's options: their names into `options`, what to offer for the value of each that
# wants one into `offers`, D's options of -x into `x`, and what the first argument is into `argument`.
_erlbpf_read_table()
{
	local kind names value offer rest name
	while IFS=$'\t' read -r kind names value offer rest; do
		case $kind in
		option)
			for name in ${names//,/ }; do
				options+=("$name")
				[[ $value != - ]] && offers[$name]=$offer
			done
			;;
		x) x+=("$names") ;;
		argument) argument=$names ;;
		esac
	done < <("$1" help --complete "$2" 2> /dev/null)
}

# Processes that look like a BEAM. The name is all that can be seen without privileges.
_erlbpf_pids()
{
	local file name
	for file in /proc/[0-9]*/comm; do
		{ read -r name < "$file"; } 2> /dev/null || continue
		[[ $name == beam* ]] && file=${file%/comm} && echo "${file##*/}"
	done
}

# Names of probes that can be had; of those of one VM where the line says -p. `compgen -W` expands its
# words, and what `list` prints quotes files of others, so nothing passes but names.
_erlbpf_probes()
{
	local name source rest
	while read -r name source rest; do
		[[ $name =~ ^[a-z0-9_-]+$ && ($source == usdt || $source == symbol) ]] && echo "$name"
	done < <("$1" list -q "${@:2}" 2> /dev/null) | sort -u
}

# What may stand for the value of an option: $1 is what its table offers, $2 what is there already.
_erlbpf_offer()
{
	local before=""

	case $1 in
	pids)
		# Behind the last comma of a list.
		[[ $2 == *,* ]] && before=${2%,*},
		mapfile -t COMPREPLY < <(compgen -P "$before" -W "$(_erlbpf_pids)" -- "${2##*,}")
		;;
	words*) mapfile -t COMPREPLY < <(compgen -W "${1#words }" -- "$2") ;;
	commands) mapfile -t COMPREPLY < <(compgen -c -- "$2") ;;
	scripts) mapfile -t COMPREPLY < <(compgen -f -X '!*.d' -- "$2"; compgen -d -- "$2") ;;
	files) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
	folders) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	x) mapfile -t COMPREPLY < <(compgen -W "${x[*]}" -- "$2") ;;
	esac
	case $1 in
	scripts | files | folders) compopt -o filenames 2> /dev/null ;;
	esac
	return 0
}

# D, with dtrace(1)'s options: any word that is none is a file or an argument.
_erlbpf_d()
{
	local cur=$1 prev=$2

	# The last letter of several may want something.
	[[ $prev == -[!-]* ]] && prev=-${prev: -1}
	if [[ ${offers[$prev]} ]]; then
		_erlbpf_offer "${offers[$prev]}" "$cur"
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$cur")
	else
		_erlbpf_offer files "$cur"
	fi
	return 0
}

# The number of words that are no options into `positional`, the process of -p into `pid`.
_erlbpf_read_words()
{
	local i option
	for ((i = 2; i < COMP_CWORD; i++)); do
		option=${COMP_WORDS[i]}
		if [[ $option != -* ]]; then
			((positional++))
			continue
		fi
		if [[ ${COMP_WORDS[i + 1]} == "=" ]]; then
			((i += 2))
		elif [[ ${offers[$option]} ]]; then
			((i++))
		fi
		[[ $option == -p || $option == --pid ]] && ((i < COMP_CWORD)) && pid=(-p "${COMP_WORDS[i]}")
	done
	return 0
}

_erlbpf()
{
	local program cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} options=() x=() argument="" positional=0 pid=()
	local -A offers=()

	COMPREPLY=()
	program=$(_erlbpf_program) || return 0
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$(_erlbpf_commands "$program") --help --version -n -s -l" -- "$cur")
		return 0
	fi
	if [[ $command == -[a-zA-Z]* ]]; then
		_erlbpf_read_table "$program" dtrace
		_erlbpf_d "$cur" "$prev"
		return 0
	fi
	_erlbpf_read_table "$program" "$command"

	# `--by=pid` is three words here.
	if [[ $cur == "=" ]]; then
		cur=""
	elif [[ $prev == "=" ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	_erlbpf_read_words
	if [[ ${offers[$prev]} ]]; then
		_erlbpf_offer "${offers[$prev]}" "$cur"
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$cur")
	elif [[ $command == help ]]; then
		((positional)) || mapfile -t COMPREPLY < <(compgen -W "$(_erlbpf_commands "$program") dtrace" -- "$cur")
	elif [[ $argument == probes ]] && ((!positional)); then
		mapfile -t COMPREPLY < <(compgen -W "$(_erlbpf_probes "$program" "${pid[@]}")" -- "$cur")
	fi
	return 0
}

complete -F _erlbpf erlbpf
