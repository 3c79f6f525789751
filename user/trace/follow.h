/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Following: which processes are targets, now and while the trace runs. Nodes that start are picked
 * up, nodes that end are let go; neither disturbs the others.
 */
#ifndef ERLBPF_TRACE_FOLLOW_H
#define ERLBPF_TRACE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"
#include "trace/attach.h"
#include "term.h"

struct follow;

/*
 * The BEAM with that OS pid. EXIT_OK, or another enum exit_code with what is wrong and what to do on
 * stderr. The caller owns the target.
 */
int follow_open(pid_t pid, struct target **target);

/* Why a node could not be attached. */
enum follow_failure {
	FAILURE_DESCRIPTORS,
	FAILURE_MEMORY,
	FAILURE_PERMISSION,
	FAILURE_TIME, /* it did not answer */
	FAILURE_OTHER,
	FOLLOW_FAILURES,
};

struct follow_stats {
	size_t attached;		    /* targets with probes on them now */
	size_t seen;			    /* targets that ever had some */
	size_t without_probes;		    /* targets that have none of the wanted probes */
	int last_error;			    /* of a target that could not be opened or attached, 0: none */
	uint64_t failures[FOLLOW_FAILURES]; /* attempts to attach that failed */
};

/* The request and the options must outlive it. NULL and errno. */
struct follow *follow_new(const struct attach_request *request, const struct options *options);
void follow_free(struct follow *follow);

/* Only the descendants of this process, and itself, are targets (-c). */
void follow_only_tree(struct follow *follow, pid_t root);

/*
 * Look for targets and attach to those that are new. Only processes that have started since the last
 * call cost more than a look at their number. 0, or an enum exit_code, explained on stderr, where
 * the user named a process that cannot be traced.
 */
int follow_scan(struct follow *follow);

/* Let go of targets that have ended, and say so. Their accounts are kept for the summary. */
void follow_reap(struct follow *follow);

/*
 * Forget those that were let go of: for who runs on and on. Other targets' numbers change; results that are still to
 * be read of them have nobody to belong to.
 */
void follow_forget(struct follow *follow);

/* Take all probes away. */
void follow_detach(struct follow *follow);

/* The same for the time being: new targets are only prepared. */
void follow_pause(struct follow *follow);

/* Put them back: all, or none and -errno. */
int follow_resume(struct follow *follow);

/* Only those that say more of cases (see attach.h); and either part, or none of it and -errno. */
void follow_pause_details(struct follow *follow);
int follow_resume_part(struct follow *follow, enum attach_part part);

/* fd that is readable, for poll(2), when a target has ended. */
int follow_fd(const struct follow *follow);

struct follow_stats follow_stats(const struct follow *follow);

/* Every target that ever was attached, or that has none of the wanted probes; also ended ones. */
size_t follow_count(const struct follow *follow);
const struct attachment *follow_get(const struct follow *follow, size_t i);
/* It keeps this one, which grows with `i`, when others are forgotten. */
uint64_t follow_serial(const struct follow *follow, size_t i);
bool follow_is_over(const struct follow *follow, size_t i);

/* Targets are found by what the kernel's records call them: erl_os_id() of bpf/erl.h. */

/* Is it one that has not ended? */
bool follow_is_live(const struct follow *follow, uint32_t os_id);

/* Name of an Erlang process of that node, hostile text; "" if it has none or is gone. */
const char *follow_process_name(const struct follow *follow, uint32_t os_id, uint64_t id, char *buf);

/* What lies at an address of a node: see target_symbol_at(). */
bool follow_symbol_at(const struct follow *follow, uint32_t os_id, uint64_t address, char *buf, size_t size);

/*
 * The text of an atom or an MFA (ids of bpf/erl.h) of that node into `buf` of RUN_NAME_SIZE, hostile.
 * False if the node is gone, or its memory cannot be read.
 */
bool follow_id_name(const struct follow *follow, uint32_t os_id, uint64_t id, char *buf);

/* The id of the function that an id of an address of code is in; 0: it is none, or is not known any more. */
uint64_t follow_function_of(const struct follow *follow, uint32_t os_id, uint64_t id);

/* How names are shown. */
struct name_style follow_name_style(const struct follow *follow);

/* A term of that node, as text in `buf`; "" if the node is not known. */
void follow_term(const struct follow *follow, uint32_t os_id, const struct term_snapshot *snapshot, char *buf,
		 size_t size);

/* Name of the node, "" if it has none. */
const char *follow_node(const struct follow *follow, uint32_t os_id);

#endif
