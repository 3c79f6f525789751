/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent's privileges: four capabilities and a short list of system calls, because it parses untrusted data of
 * clients and nodes.
 */
#ifndef ERLBPF_SERVE_HTTP_PRIVILEGES_H
#define ERLBPF_SERVE_HTTP_PRIVILEGES_H

#include <stdint.h>

#include "load/kernel/kernel.h"

/* Prints which capabilities are missing, and what does not work without them. */
void privileges_check(const struct kernel *kernel);

/*
 * Filters of system calls. An agent that pushes opens connections; others only accept them; the profiler opens no
 * sockets.
 */
enum agent_filter { FILTER_NONE, FILTER_ALL, FILTER_WITH_CALLS, FILTER_PROFILE };

/*
 * Irreversibly drops capabilities (also by exec) and system calls that are not needed to attach to later nodes, for
 * this thread and its future ones. 0 or -errno; the error is printed.
 */
int privileges_drop(const struct kernel *kernel, enum agent_filter which);

/* Capabilities kept by processes that act as another user: to load and to attach. */
uint64_t privileges_of_users(const struct kernel *kernel);

/* Capabilities kept for profiles: the same, and CAP_SYSLOG for names of kernel functions, if present. */
uint64_t privileges_of_profiles(const struct kernel *kernel);

#endif
