/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of nodes as a whole, as facts of a panel. */
#ifndef ERLBPF_OUT_VITALS_H
#define ERLBPF_OUT_VITALS_H

#include "node/memory/limits.h"
#include "out/panel.h"

#define VITALS_FACTS 12

/* Sums over the nodes. */
struct vitals {
	uint64_t run_queue;	     /* processes and ports that wait for a normal scheduler */
	uint64_t reds_per_s;	     /* of processes that live */
	struct value messages_per_s; /* sent by them */
	uint64_t busy, collecting;   /* samples in which a scheduler was busy, and with garbage */
	uint64_t resident;	     /* bytes that the kernel counts */
	uint64_t heaps, binaries;    /* bytes of all processes: heaps, and binaries that they refer to */
	uint64_t ets, code;	     /* bytes of tables, and of loaded modules */
	struct node_limits limits;
};

/* The most important first. Returns how many. */
size_t vitals_facts(const struct vitals *vitals, struct panel_fact facts[VITALS_FACTS]);

#endif
