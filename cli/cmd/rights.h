/* SPDX-License-Identifier: GPL-2.0-only */
/* Giving up rights, for a command that goes on for long after it needed them. */
#ifndef NVX_CMD_RIGHTS_H
#define NVX_CMD_RIGHTS_H

/*
 * Give up every capability, for good, and root: become `user`, or where that is NULL the user nvx,
 * or nobody where there is none.  Who is not root stays who he is.  Threads that begin later have
 * none either.  0, or 1 after a message.
 */
int rights__drop(const char *user);

#endif
