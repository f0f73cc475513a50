# SPDX-License-Identifier: GPL-2.0-only
# pahole's view of struct nvx_vcpu to a table: the two parts of single members, then each array.
/\/\* size: / {
	sub(/,/, "", $3)
	size = $3
}
/^\t[^\t].*\/\* +[0-9]+ +[0-9]+ \*\/$/ {
	name = $(NF - 4)
	sub(/;/, "", name)
	at = $(NF - 2)
	bytes = $(NF - 1)
	sum += bytes
	if (at < 192)
		hot += bytes
	else if ($1 != "struct" && name !~ /_hint|switch_flushes/)
		cold += bytes
	else
		row[++n] = sprintf("%-24s %6d %7d", name, at, bytes)
}
END {
	if (!size)
		exit 1
	printf "%-24s %6s %7s\n", "MEMBER", "AT", "BYTES"
	printf "%-24s %6d %7d\n", "hot state", 0, hot
	printf "%-24s %6d %7d\n", "cold state", 192, cold
	for (i = 1; i <= n; i++)
		print row[i]
	printf "%-24s %6s %7d\n", "padding", "", size - sum
	printf "%-24s %6s %7d of 16384\n", "struct nvx_vcpu", "", size
}
