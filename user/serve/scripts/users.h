/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D for users without rights: a Unix socket at which each local user gets what `erlbpf --etf` is to root, for the nodes
 * that are the user's own. For each connection a process is forked that becomes this user, and keeps only what loading
 * and attaching takes. So it is the kernel that says whose processes can be looked into: those that the user may trace
 * with ptrace(2). What programs may do is in d/check/rights.c, what they can read in load/optimiser/code_confine.h.
 */
#ifndef ERLBPF_SERVE_SCRIPTS_USERS_H
#define ERLBPF_SERVE_SCRIPTS_USERS_H

#include <stdbool.h>

struct users;

/* While we are small and before any thread is started. NULL, explained. */
struct users *users_new(const char *path, bool without_filter);

/* Sessions end, and their probes with them. */
void users_free(struct users *users);

#endif
