# SPDX-License-Identifier: GPL-2.0-only
# awk -v name=FUNCTION -f body.awk FILE: the text of a function of kernel style, without
# comments and with single blanks, so that only a change of code changes its hash.
# Prints nothing when the file does not define it.

function starts(line)
{
	return line ~ /^[A-Za-z_]/ && line ~ ("(^|[^A-Za-z0-9_])" name "\\(") && line !~ /;[ \t]*$/
}

!inside && starts($0) { inside = 1; text = ""; open = 0 }

inside {
	text = text $0 "\n"
	if ($0 ~ /^\{/)
		open = 1
	if (!open && $0 ~ /;[ \t]*$/)
		inside = 0		# a prototype over several lines
	if (open && $0 ~ /^\}/) {
		print squeeze(text)
		exit
	}
}

function squeeze(s,   out, i, j)
{
	while ((i = index(s, "/*")) > 0) {
		j = index(substr(s, i + 2), "*/")
		if (!j)
			break
		s = substr(s, 1, i - 1) " " substr(s, i + 2 + j + 1)
	}
	gsub(/\/\/[^\n]*/, "", s)
	gsub(/[ \t\n]+/, " ", s)
	return s
}
