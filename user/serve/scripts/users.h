/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D for unprivileged users: a Unix socket that gives each local user what `erlbpf --etf` gives root, for the user's own
 * nodes. Each connection gets a process that becomes this user and keeps only the capabilities to load and attach, so
 * the kernel decides which processes it can access: those that the user may ptrace(2). d/check/rights.c restricts
 * programs, load/optimiser/code_confine.h what they read.
 */
#ifndef ERLBPF_SERVE_SCRIPTS_USERS_H
#define ERLBPF_SERVE_SCRIPTS_USERS_H

#include <stdbool.h>

struct users;

/* Call before threads are started and while memory use is low, because it forks. NULL: the error is printed. */
struct users *users_new(const char *path, bool without_filter);

/* Ends all sessions and their probes. */
void users_free(struct users *users);

#endif
