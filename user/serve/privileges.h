/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the agent may do: four capabilities and a short list of system calls, however it was started. An agent that
 * parses what strangers send and what the nodes of others hold should be able to do nothing else.
 */
#ifndef ERLBPF_SERVE_PRIVILEGES_H
#define ERLBPF_SERVE_PRIVILEGES_H

#include <stdbool.h>

#include "run/kernel.h"

/* Says which capabilities are missing, and what will not work without them. */
void privileges_check(const struct kernel *kernel);

/*
 * Gives up what is not needed to attach to nodes that start later, for good: capabilities, new ones by exec, and
 * with `with_filter` system calls. 0 or -errno, explained.
 */
int privileges_drop(const struct kernel *kernel, bool with_filter);

#endif
