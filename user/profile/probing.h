/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes that take stacks, for as long as a profile runs: in the nodes that were chosen, within a budget. What the
 * programs have kept is read by who knows them, off_cpu.h and events.h.
 */
#ifndef ERLBPF_PROFILE_PROBING_H
#define ERLBPF_PROFILE_PROBING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/load.h"
#include "options.h"
#include "out/sink.h"
#include "profile.h"
#include "trace/attach.h"
#include "target/target.h"

struct probing_request {
	const void *elf; /* the programs */
	size_t elf_size;
	const struct options *nodes;  /* which nodes are meant; it must outlive it */
	struct attach_request attach; /* all but its loader */
	double share;		      /* of the nodes' time that hits may cost; 0: any */
	const char *option;	      /* what the user has asked for, to say that no node has it */
	/* NULL, or what is called when probes have been taken away, which were on for this time; `is_last`: for good.
	 */
	void (*window_over)(void *data, uint64_t from_ns, uint64_t to_ns, bool is_last);
	void *data;
};

struct probing;

/* Loaded; its variables can be set. NULL and errno, with the reason printed. */
struct probing *probing_new(const struct probing_request *request);
void probing_free(struct probing *probing); /* NULL-safe */
struct loader *probing_loader(const struct probing *probing);

/* Those that have not ended, and what the programs know of them. */
typedef void probing_node_visitor(void *data, const struct target *target, const struct sample_node *node);
void probing_each_node(const struct probing *probing, probing_node_visitor *visit, void *data);

/* Its variables are set. No probe is put anywhere. 0 or -errno. */
int probing_prepare(struct probing *probing);

/* That node, too; `number` is what its stacks call it. 0 or -errno. */
int probing_add(struct probing *probing, const struct target *target, uint16_t number);

/* Only this process and what descends from it (-c). */
void probing_only_tree(struct probing *probing, pid_t root);

/* What an id stands for that the programs have kept, see ids_text(). */
const char *probing_id_text(struct probing *probing, uint32_t os_id, uint64_t id);

/* Put the probes, and take them away. 0, -ENODEV if no node has them (unless one `may_come`) or another -errno,
 * explained. */
int probing_start(struct probing *probing, bool may_come);
void probing_stop(struct probing *probing);

/* Nothing counts from now on. Returns now. Then they can be taken away. */
uint64_t probing_close(struct probing *probing);

/* Time counts from now on, if it is time that is measured: what the probes were on for before is no part of it. Returns
 * now. */
uint64_t probing_begin(struct probing *probing);

/* On how many nodes they are, and ", not on a@host (reason)" for the others; the caller's, "" for none, or NULL. */
size_t probing_count(const struct probing *probing);
char *probing_refused(const struct probing *probing);

/* Every PACE_TICK_NS: see whether the probes may stay, or may come back. */
void probing_tick(struct probing *probing);

/* Put them also where a node has started since, and let go of those that have ended. */
void probing_scan(struct probing *probing);

/* Calls `visit` for each stack that the programs have kept and that it was not called for yet. */
typedef void probing_visitor(void *data, const struct sample_stack *stack);
void probing_each_new(struct probing *probing, probing_visitor *visit, void *data);

/* When the probes have been taken away: for how long they were on, */
const struct pace_seen *probing_watched(const struct probing *probing);
/* when that was, or when that node (erl_os_id() of bpf/erl.h) ended before; 0: neither has happened. */
uint64_t probing_end_ns(const struct probing *probing, uint32_t os_id);

#endif
