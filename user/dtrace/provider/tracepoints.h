/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's tracepoints with BPF support, from its BTF. */
#ifndef ERLBPF_DTRACE_PROVIDER_TRACEPOINTS_H
#define ERLBPF_DTRACE_PROVIDER_TRACEPOINTS_H

#include <stddef.h>

struct tracepoint {
	char *name, *module; /* its group: "sched"; otherwise "vmlinux", or a kernel module */
};

struct tracepoints {
	struct tracepoint *all; /* sorted by name */
	size_t count;
};

/* NULL: out of memory. Empty if the kernel has no readable BTF. */
struct tracepoints *tracepoints_read(void);
void tracepoints_free(void *tracepoints);

/* NULL: unknown. */
const struct tracepoint *tracepoints_find(const struct tracepoints *tracepoints, const char *name);

/* Used by the former, and for tests: adds those in the BTF of one module. 0 or -ENOMEM; invalid BTF adds none. */
int tracepoints_add(struct tracepoints *tracepoints, const char *module, const void *btf, size_t size);

#endif
