/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches probes that record stacks during a profile, in selected nodes and within an overhead limit. off_cpu.h and
 * events.h read the stacks.
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
	const struct options *nodes;  /* selects nodes; borrowed */
	struct attach_request attach; /* everything except its loader */
	double share;		      /* limit of the overhead, as a share of the nodes' CPU time; 0: none */
	const char *option;	      /* for the message that no node has the probe */
	/* NULL, or called when probes were detached after they were on for this time; `is_last`: for good. */
	void (*window_over)(void *data, uint64_t from_ns, uint64_t to_ns, bool is_last);
	void *data;
};

struct probing;

/* Opens the programs; their variables can be set. NULL and errno; the error is printed. */
struct probing *probing_new(const struct probing_request *request);
void probing_free(struct probing *probing); /* NULL-safe */
struct loader *probing_loader(const struct probing *probing);

/* Nodes that have not ended, and their ids in BPF programs. */
typedef void probing_node_visitor(void *data, const struct target *target, const struct sample_node *node);
void probing_each_node(const struct probing *probing, probing_node_visitor *visit, void *data);

/* Loads the programs after their variables were set; attaches none. 0 or -errno. */
int probing_prepare(struct probing *probing);

/* Adds a node; `number` identifies it in stacks. 0 or -errno. */
int probing_add(struct probing *probing, const struct target *target, uint16_t number);

/* Restricts to this process and its descendants (-c). */
void probing_only_tree(struct probing *probing, pid_t root);

/* The text of an id that programs have recorded, see ids_text(). */
const char *probing_id_text(struct probing *probing, uint32_t os_id, uint64_t id);

/*
 * Attaches and detaches the probes. 0, -ENODEV if no node has them (unless one `may_come`), or another -errno; the
 * error is printed.
 */
int probing_start(struct probing *probing, bool may_come);
void probing_stop(struct probing *probing);

/* Stops counting, so that probes can be detached. Returns the time. */
uint64_t probing_close(struct probing *probing);

/* Starts counting time; time before is dropped. Returns the time. */
uint64_t probing_begin(struct probing *probing);

/*
 * The number of nodes with probes, and ", not on a@host (reason)" for the others. The caller frees it; "": no probes;
 * NULL: out of memory.
 */
size_t probing_count(const struct probing *probing);
char *probing_refused(const struct probing *probing);

/* Call every PACE_TICK_NS: decides whether probes are attached or detached. */
void probing_tick(struct probing *probing);

/* Attaches to nodes that have started, releases nodes that have ended. */
void probing_scan(struct probing *probing);

/* Calls `visit` for each recorded stack that was not visited before. */
typedef void probing_visitor(void *data, const struct sample_stack *stack);
void probing_each_new(struct probing *probing, probing_visitor *visit, void *data);

/* After the probes were detached: for how long they were attached, */
const struct pace_seen *probing_watched(const struct probing *probing);
/* and when they were detached, or that node (erl_os_id() of bpf/erl.h) ended before; 0: not yet. */
uint64_t probing_end_ns(const struct probing *probing, uint32_t os_id);

#endif
