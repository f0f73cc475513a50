/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs.  Each has a file of its own; argv[0] is the verb; the result is the exit code. */
#ifndef NVX_CMD_CMD_H
#define NVX_CMD_CMD_H

int cmd_diff(int argc, char **argv);
int cmd_features(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_tune(int argc, char **argv);

#endif
