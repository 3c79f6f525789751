/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's tracepoints that BPF programs can be put at, as its BTF names them. */
#ifndef ERLBPF_DTRACE_PROVIDER_TRACEPOINTS_H
#define ERLBPF_DTRACE_PROVIDER_TRACEPOINTS_H

#include <stddef.h>

struct tracepoint {
	char *name, *module; /* its group: "sched"; else "vmlinux", or a module of the kernel */
};

struct tracepoints {
	struct tracepoint *all; /* by name */
	size_t count;
};

/* NULL if memory is short. None, if the kernel has no BTF or it may not be read. */
struct tracepoints *tracepoints_read(void);
void tracepoints_free(void *tracepoints);

/* NULL: there is none of that name. */
const struct tracepoint *tracepoints_find(const struct tracepoints *tracepoints, const char *name);

/* For the former, and for tests: those of one module's BTF. 0 or -ENOMEM; what is no BTF has none. */
int tracepoints_add(struct tracepoints *tracepoints, const char *module, const void *btf, size_t size);

#endif
