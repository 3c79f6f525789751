/* SPDX-License-Identifier: BSD-2-Clause */
/* What people call a scheduler, by the name that the VM has given to its thread. */
#ifndef ERLBPF_NODE_NAMES_SCHEDULER_NAME_H
#define ERLBPF_NODE_NAMES_SCHEDULER_NAME_H

#include <stddef.h>

/*
 * "1" of a normal scheduler, "dirty-cpu-1", "dirty-io-1"; any other thread keeps its name, which is as hostile as it
 * was. Returns buf.
 */
char *scheduler_name(const char *thread, char *buf, size_t size);

#endif
