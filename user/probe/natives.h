/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of a VM that nobody exports, but that its tables point to: the callbacks of drivers and the
 * NIFs that are part of the executable. Their names are "tcp_inet:outputv" and "prim_file:read_nif/2".
 */
#ifndef ERLBPF_PROBE_NATIVES_H
#define ERLBPF_PROBE_NATIVES_H

#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define NATIVE_NAME_SIZE 128

struct native {
	char name[NATIVE_NAME_SIZE];	/* hostile text */
	uint64_t address;		/* virtual, in the file; not checked */
};

struct native_list {
	struct native *natives;
	size_t count;
};

/*
 * Read the tables of a process. A callback that several drivers share is there once, under the names of
 * all of them: "sctp_inet+udp_inet:output". 0 or -errno; the caller frees the list, also after an error.
 */
int native_list_read(const struct target *target, struct native_list *list);
void native_list_free(struct native_list *list);

/* Are the tables complete, or does the process still start up? */
bool native_list_is_ready(const struct target *target);

#endif
