/* SPDX-License-Identifier: BSD-2-Clause */
/* Which capabilities what takes on this kernel, as privileges_keep() wants them (base/process/privileges.h). */
#ifndef ERLBPF_LOAD_KERNEL_CAPABILITIES_H
#define ERLBPF_LOAD_KERNEL_CAPABILITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/kernel/kernel.h"

struct capability {
	unsigned int number; /* CAP_... */
	const char *name, *without;
};

/* Those that it takes to find nodes and trace them, with what does not work without each. */
const struct capability *capabilities_needed(size_t *count);

/* Have we it? CAP_SYS_ADMIN stands for those that were split off from it. */
bool capability_is_held(const struct kernel *kernel, unsigned int number);

/* To attach to nodes, now and later. */
uint64_t capabilities_to_attach(const struct kernel *kernel);

/* To read maps that are open: none, but before Linux 5.19 where unprivileged users may not use bpf(2). */
uint64_t capabilities_for_maps(const struct kernel *kernel);

#endif
