/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of a VM that are not exported, but that its tables point to: callbacks of drivers, and NIFs in the
 * executable. Their names are "tcp_inet:outputv" and "prim_file:read_nif/2".
 */
#ifndef ERLBPF_NODE_CODE_NATIVES_H
#define ERLBPF_NODE_CODE_NATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "target/target.h"

#define NATIVE_NAME_SIZE 128

struct native {
	char name[NATIVE_NAME_SIZE]; /* hostile text */
	uint64_t address;	     /* virtual, in the file; unchecked */
};

struct native_list {
	const struct target *target;
	bool is_read;
	struct native *natives;
	size_t count;
};

/*
 * The functions of a process. The tables are read on first use, because few probes need them. A callback that several
 * drivers share is listed once with all names: "sctp_inet+udp_inet:output". The caller frees the list.
 */
void native_list_of(const struct target *target, struct native_list *list);
void native_list_read(struct native_list *list);
void native_list_free(struct native_list *list);

/* Are the tables complete? False during the start of the VM. */
bool native_list_is_ready(const struct target *target);

#endif
