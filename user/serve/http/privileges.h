/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the agent may do: four capabilities and a short list of system calls, however it was started. An agent that
 * parses what strangers send and what the nodes of others hold should be able to do nothing else.
 */
#ifndef ERLBPF_SERVE_HTTP_PRIVILEGES_H
#define ERLBPF_SERVE_HTTP_PRIVILEGES_H

#include <stdint.h>

#include "load/kernel/kernel.h"

/* Says which capabilities are missing, and what will not work without them. */
void privileges_check(const struct kernel *kernel);

/*
 * Of system calls. An agent that pushes calls other machines; one that does not only answers; what profiles for it has
 * no sockets but those that it has.
 */
enum agent_filter { FILTER_NONE, FILTER_ALL, FILTER_WITH_CALLS, FILTER_PROFILE };

/*
 * Gives up what is not needed to attach to nodes that start later, for good: capabilities, new ones by exec, and
 * system calls. Of the calling thread and those that it makes later. 0 or -errno, explained.
 */
int privileges_drop(const struct kernel *kernel, enum agent_filter which);

/* What those keep that act as another user, whose rights say what they may look into: to load and to attach. */
uint64_t privileges_of_users(const struct kernel *kernel);

/* What profiles keep: the same, and what shows the names of the kernel's functions, if it is there. */
uint64_t privileges_of_profiles(const struct kernel *kernel);

#endif
