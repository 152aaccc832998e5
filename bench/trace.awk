# SPDX-License-Identifier: GPL-2.0-or-later
# trace.awk - the list for bare, from what strace -y saw of boardtune below root
#
# Left out: what failed, the record's reads and the lock, ancestors' environment (it depends
# on who runs the bench), and the second file of an interrupt that a copied board keeps.
BEGIN { prefix = root == "/" ? root : root "/" }
/ = -1 / { next }
/^openat2?\([0-9]+</ && index($0, "<" root ">, ") {
	split($0, part, "\"")
	path = part[2]
	if (path ~ /^(\.$|run|proc\/[0-9])/ || /O_PATH|O_WRONLY/)
		next
	print (/O_DIRECTORY/ ? "D " : "R ") path
}
/^p?write/ {
	path = $0
	sub(/^[^<]*</, "", path)
	sub(/>.*/, "", path)
	if (index(path, prefix) != 1)
		next
	path = substr(path, length(prefix) + 1)
	if (path ~ /undo\.json\.new$/)
		print "U run/undo.json " $NF
	if (path !~ /^(sys|proc)\// || path ~ /smp_affinity_list$/)
		next
	split($0, part, "\"")
	value = part[2]
	sub(/\\n$/, "", value)
	print (/^pwrite/ ? "T " : "W ") path " " value
}
