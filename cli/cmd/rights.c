// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/log.h"

#define NOBODY 65534

/* Without capabilities root still owns most files of the host. */
static int leave_root(const char *user)
{
	struct passwd *pw = getpwnam(user ?: "nvx");
	uid_t uid = pw ? pw->pw_uid : NOBODY;
	gid_t gid = pw ? pw->pw_gid : NOBODY;

	if (user && !pw) {
		nvx_error("no user `%s`", user);
		return 1;
	}
	if (!uid) {
		nvx_error("--user: `%s` is root", user);
		return 1;
	}
	if (setgroups(0, NULL) || setresgid(gid, gid, gid) || setresuid(uid, uid, uid)) {
		nvx_error("cannot become user %u: %s (root in a container needs CAP_SETUID and "
			  "CAP_SETGID for it)", uid, strerror(errno));
		return 1;
	}
	return 0;
}

int rights__drop(const char *user)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (!geteuid() && leave_root(user))
		return 1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &head, none)) {
		nvx_error("cannot drop the rights: %s", strerror(errno));
		return 1;
	}
	return 0;
}
