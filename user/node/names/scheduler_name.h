/* SPDX-License-Identifier: BSD-2-Clause */
/* The displayed name of a scheduler, from its thread name. */
#ifndef ERLBPF_NODE_NAMES_SCHEDULER_NAME_H
#define ERLBPF_NODE_NAMES_SCHEDULER_NAME_H

#include <stddef.h>

/*
 * "1" for a normal scheduler, "dirty-cpu-1", "dirty-io-1"; another thread keeps its name, which is hostile. Returns
 * buf.
 */
char *scheduler_name(const char *thread, char *buf, size_t size);

#endif
