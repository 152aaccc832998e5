# SPDX-License-Identifier: GPL-2.0-or-later
# boardtune.bash - completion of commands, options and profiles
# shellcheck shell=bash

_boardtune_profiles() {
	local file

	for file in {/etc,/usr/local/share,/usr/share}/boardtune/profiles/*.ini; do
		[[ -e $file ]] || continue
		file=${file##*/}
		file=${file%.ini}
		# what list shows: no dot or hyphen in front, no blank, nothing hidden
		[[ $file != [.-]* && $file != *[[:space:][:cntrl:]]* && $file != *.ini ]] || continue
		printf '%s\n' "$file"
	done
}

_boardtune_runs() {
	local file

	for file in {/var/lib,"${XDG_STATE_HOME:-$HOME/.local/state}"}/boardtune/runs/*.json; do
		[[ -e $file ]] || continue
		file=${file##*/}
		printf '%s\n' "${file%.json}"
	done
}

# _boardtune_value OPTION CURRENT: what may follow it; fails if it takes no value.
_boardtune_value() {
	case $1 in
	--board | --board-save | --output) compgen -f -- "$2" ;;
	--sysroot | --root) compgen -d -- "$2" ;;
	--format) compgen -W 'text markdown json csv html' -- "$2" ;;
	--keep) compgen -W 'not-worse better always never' -- "$2" ;;
	--cells) compgen -W 'ipv4-tx ipv4-rx ipv6-tx ipv6-rx' -- "$2" ;;
	--nic) compgen -W "$(cd /sys/class/net && echo *)" -- "$2" ;;
	--peer | --port | --bind | --bitrate | --repeat | --time | --omit | --pairs | --max-temp | --label) ;;
	*) return 1 ;;
	esac
	return 0
}

# _boardtune_options COMMAND
_boardtune_options() {
	echo --help --version --verbose --quiet --no-color
	case $1 in
	trial | measure | serve | watch) ;; # on a live board only
	*) echo --board --board-save --sysroot ;;
	esac
	case $1 in
	recommend | list | show | plan | verify | doctor | revert | runs) echo --json ;;
	status) echo --json --clocks ;;
	confirm) echo --json --boot ;;
	compare) echo --json --force ;;
	report) echo --json --format --output --redact ;;
	import) echo --diff ;;
	apply) echo --json --best-effort --boot --force --confirm --no-confirm --nic --late ;;
	trial)
		echo --json --force --peer --port --nic --cells --time --omit --pairs \
			--quick --streams --zero-copy --no-wait --json-lines --keep \
			--max-temp --label --yes --demo
		;;
	setup) echo --quick --no-wait --cells --time ;;
	measure)
		echo --json --peer --port --nic --cells --time --omit --udp --bitrate \
			--streams --zero-copy --repeat --save --label
		;;
	serve) echo --port --bind --once ;;
	enable) echo --json --root --take-over ;;
	watch) echo --json-lines --enforce ;;
	disable) echo --json --root --now ;;
	esac
}

_boardtune() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local commands='setup recommend list show import plan apply trial enable disable'
	commands+=' status verify doctor revert confirm measure serve runs compare report watch snapshot'
	local command='' word found

	# Readline splits --option=value at the equals sign.
	if [[ $cur == = ]]; then
		cur=''
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		if [[ -z $command && " $commands " == *" $word "* ]]; then
			command=$word
		fi
	done
	if found=$(_boardtune_value "$prev" "$cur"); then
		:
	elif [[ $cur == -* ]]; then
		found=$(compgen -W "$(_boardtune_options "$command")" -- "$cur")
	else
		case $command in
		'') found=$(compgen -W "$commands" -- "$cur") ;;
		import | snapshot) found=$(compgen -f -- "$cur") ;;
		setup | recommend | list | status | doctor | revert | confirm | disable | measure | serve | runs | watch) ;;
		compare | report)
			found=$(compgen -W "$(_boardtune_runs)" -- "$cur"
				compgen -f -X '!*.json' -- "$cur")
			;;
		enable) found=$(compgen -W "auto $(_boardtune_profiles)" -- "$cur") ;;
		*)
			found=$(compgen -W "$(_boardtune_profiles)" -- "$cur"
				compgen -f -X '!*.ini' -- "$cur")
			;;
		esac
	fi
	mapfile -t COMPREPLY < <([[ -z $found ]] || printf '%s\n' "$found")
}

complete -F _boardtune boardtune
