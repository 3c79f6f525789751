# bash completion for erlbpf(8).
#
# Commands come from `erlbpf help`, options from `erlbpf help COMMAND`, so nothing here has to follow
# when a tool is added. Nothing is attached: probe names come from `erlbpf list`, which only reads,
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
	local line name rest in_list=""
	while IFS= read -r line; do
		case $line in
		"Tools:" | "Other commands:") in_list=1 ;;
		"") in_list="" ;;
		*) [[ $in_list ]] && read -r name rest <<< "$line" && echo "$name" ;;
		esac
	done < <("$1" help 2> /dev/null)
}

# Reads the help of a command: its options into `options`, those that want a value into `wanting`
# (with a blank on each side), the keys of --by into `keys`, and whether it takes a glob of probes into
# `takes_glob`.
_erlbpf_read_help()
{
	local line word words
	while IFS= read -r line; do
		case $line in
		"usage:"*"[GLOB]"*) takes_glob=1 ;;&
		"usage:"*)
			# `[-p PID]` wants a value, `[-v]` does not.
			read -ra words <<< "$line"
			for word in "${words[@]}"; do
				case $word in
				"[-"*"]") word=${word#[} options+=("${word%]}") ;;
				"[-"*) options+=("${word#[}") wanting+="${word#[} " ;;
				esac
			done
			;;
		"  -"* | "      --"*)
			# `--by KEY   one result per pid, name or node`
			[[ $line == *"--by KEY "* ]] && keys=${line##*one result per} &&
				keys=${keys//,/} keys=${keys/ or / }
			# `-p, --pid PID[,PID]   text`: what follows the names in capitals is the value.
			read -ra words <<< "$line"
			for word in "${words[@]}"; do
				case $word in
				-*) options+=("${word%,}") ;;
				[A-Z\<]*) [[ ${words[0]} == -?, ]] && wanting+="${words[0]%,} "
					wanting+="${options[-1]} "; break ;;
				*) break ;;
				esac
			done
			;;
		esac
	done < <("$1" help "$2" 2> /dev/null)
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

# dtrace(1)'s options, for `erlbpf -n 'D'` and for erlbpf by the name dtrace.
_erlbpf_d()
{
	local cur=$1 prev=$2 before word

	# What an option wants may stand in its own word, and the last letter of several may want something.
	[[ $prev == -[!-]* ]] && prev=-${prev: -1}
	case $prev in
	-s) mapfile -t COMPREPLY < <(compgen -f -X '!*.d' -- "$cur"; compgen -d -- "$cur") ;;
	-p) mapfile -t COMPREPLY < <(compgen -W "$(_erlbpf_pids)" -- "$cur") ;;
	-c) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	-o) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	-I) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	-X) mapfile -t COMPREPLY < <(compgen -W "a c s t" -- "$cur") ;;
	-x)
		before=$(while read -r word _; do
			[[ $word =~ ^[a-z]+(=[A-Za-z0-9.|]+)?$ ]] && echo "${word%%=*}"
		done < <("$program" help dtrace 2> /dev/null | sed '1,/^Options of -x:/d; /^$/,$d'))
		mapfile -t COMPREPLY < <(compgen -W "$before" -- "$cur")
		;;
	-[nPmfibDU]) ;;
	*)
		if [[ $cur == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "-n -s -P -m -f -i -l -e -v -q -j -F -w -Z -C -H -S -V -h \
				-p -c -o -x -b -D -U -I -X" -- "$cur")
		else
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
	[[ $prev == -[soI] || $cur != -* ]] && compopt -o filenames 2> /dev/null
	return 0
}

_erlbpf()
{
	local program cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} option before options=() wanting=" " keys="" takes_glob="" positional=0 pid=() i

	COMPREPLY=()
	program=$(_erlbpf_program) || return 0
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$(_erlbpf_commands "$program") --help --version -n -s -l" -- "$cur")
		return 0
	fi
	if [[ $command == -[a-zA-Z]* ]]; then
		_erlbpf_d "$cur" "$prev"
		return 0
	fi
	_erlbpf_read_help "$program" "$command"

	# `--by=pid` is three words here.
	if [[ $cur == "=" ]]; then
		cur=""
	elif [[ $prev == "=" ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		option=${COMP_WORDS[i]}
		if [[ $option != -* ]]; then
			((positional++))
			continue
		fi
		if [[ ${COMP_WORDS[i + 1]} == "=" ]]; then
			((i += 2))
		elif [[ $wanting == *" $option "* ]]; then
			((i++))
		fi
		[[ $option == -p || $option == --pid ]] && ((i < COMP_CWORD)) && pid=(-p "${COMP_WORDS[i]}")
	done

	if [[ $wanting == *" $prev "* ]]; then
		case $prev in
		-p | --pid)
			# Behind the last comma of a list.
			before=""
			[[ $cur == *,* ]] && before=${cur%,*},
			mapfile -t COMPREPLY < <(compgen -P "$before" -W "$(_erlbpf_pids)" -- "${cur##*,}")
			;;
		--by) mapfile -t COMPREPLY < <(compgen -W "$keys" -- "$cur") ;;
		--probes) mapfile -t COMPREPLY < <(compgen -W "bounded always never" -- "$cur") ;;
		-f | --format) mapfile -t COMPREPLY < <(compgen -W "text json csv" -- "$cur") ;;
		--source) mapfile -t COMPREPLY < <(compgen -W "usdt symbol" -- "$cur") ;;
		-c | --cmd) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
		-o | --output)
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			compopt -o filenames 2> /dev/null
			;;
		esac
		return 0
	fi
	case $cur in
	-*) mapfile -t COMPREPLY < <(compgen -W "${options[*]}" -- "$cur") ;;
	*)
		if [[ $command == help ]]; then
			((positional)) || mapfile -t COMPREPLY < <(compgen -W "$(_erlbpf_commands "$program")" -- "$cur")
		elif [[ $takes_glob ]] && ((!positional)); then
			mapfile -t COMPREPLY < <(compgen -W "$(_erlbpf_probes "$program" "${pid[@]}")" -- "$cur")
		fi
		;;
	esac
	return 0
}

complete -F _erlbpf erlbpf
