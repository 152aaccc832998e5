#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# unpack.sh DIR <BOARD: make a directory for --sysroot of a recorded board as big.sh makes it
#
# Files of one line or <<END, links, empty directories; @ and ! lines go to DIR/.board.
mkdir -p "$1" && cd "$1" || exit
awk '
function dir_of(path) { sub("/[^/]*$", "", path); return path }
/^#/ || $0 == "" { next }
/^[@!]/ { print > ".board"; next }
$2 == "<<END" {
	text = ""
	while ((getline line) > 0 && line != "END")
		text = text line "\n"
	entry[++n] = $1; kind[n] = "f"; data[n] = text; dirs[dir_of($1)]; next
}
$2 == "->" { entry[++n] = $1; kind[n] = "l"; data[n] = $3; dirs[dir_of($1)]; next }
$2 == "=" {
	entry[++n] = $1; kind[n] = "f"; data[n] = substr($0, length($1) + 4) "\n"
	dirs[dir_of($1)]; next
}
/\/$/ { dirs[substr($0, 1, length($0) - 1)] }
END {
	close(".board")
	command = "tr \"\\n\" \"\\0\" | xargs -0 mkdir -p"
	for (d in dirs)
		print "." d | command
	close(command)
	for (i = 1; i <= n; i++)
		if (kind[i] == "l")
			links = links "ln -s " data[i] " ." entry[i] "\n"
		else {
			printf "%s", data[i] > ("." entry[i])
			close("." entry[i])
		}
	printf "%s", links | "sh"
}'
