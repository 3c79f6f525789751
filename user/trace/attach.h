/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaching: the programs of a tool to the sites of one target. All sites that one copy of a program
 * serves are one uprobe_multi link, so they come and go together. The guardian has the links, and takes
 * them away however we end.
 */
#ifndef ERLBPF_TRACE_ATTACH_H
#define ERLBPF_TRACE_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

#include "erlang/breakpoints.h"
#include "load/kernel/kernel.h"
#include "load/load.h"
#include "node/names/naming.h"
#include "probe/sites/source.h"
#include "target/target.h"
#include "trace/hit_kind.h"

/* Sites that one program serves; kept, so that they can be linked again. */
struct plan {
	struct site first;
	size_t wanted; /* the loader's number of the program */
	int program;   /* its fd; -1: not loaded yet */
	bool at_return;
	bool is_detail;
	unsigned long *offsets, *semaphores;
	uint64_t *cookies;
	enum hit_kind *kinds; /* HIT_PLAIN, HIT_NOP5 or HIT_STEPPED, by the instructions there */
	size_t count;
};

/* What can be taken away and put back on its own. */
enum attach_part {
	ATTACH_CASES,	/* what finds cases, or all */
	ATTACH_DETAILS, /* what says more of them */
	ATTACH_PARTS,
};

struct link_list {
	int *numbers; /* the guardian's */
	size_t count;
};

struct attachment {
	struct target *target; /* owned */
	struct loader *loader;
	struct erl_pid_layout pids;   /* zeroed if it is not known */
	struct erl_name_layout names; /* the same */
	struct link_list links[ATTACH_PARTS];
	size_t site_count;
	bool uses[SOURCES]; /* sources that serve this target */
	struct missing *missing;
	size_t missing_count;
	bool is_refused;		 /* a required probe is missing */
	size_t refusal;			 /* which of `missing` that is */
	struct breakpoints *breakpoints; /* on Erlang functions; NULL: none */
	struct hardware *hardware;	 /* the same by debug registers */
	bool by_hardware;		 /* there are, or were, some */
	bool by_counters;		 /* there is no probe, the VM counts */
	char *absent; /* why it has nothing of what the user names, beside probes; NULL: it may have */
	const char *absent_advice;
	uint64_t attached_ns; /* when all its probes were in place, 0: not yet */
	struct plan *plans;
	size_t plan_count;
	struct naming *naming; /* NULL: the structures of its release are not known */
	struct terms *terms;   /* of its own where there is no naming; made when the first is printed */
};

/*
 * Who knows better than a glob which sites a program (by its name) is for: first of which probes it wants
 * any, then the sites themselves, whose function it may set. It is told of a program that the kernel does not take.
 */
struct attach_choice {
	bool (*probe)(void *data, const char *program, const struct target *target, uint32_t probe);
	bool (*site)(void *data, const char *program, const struct target *target, struct site *site);
	void (*refused)(void *data, const struct target *target, const struct site *site, int err);
	void *data;
};

struct attach_request {
	struct loader *loader;
	const struct kernel *kernel;
	const char *glob;   /* for programs that are wired to "erlang:*" */
	const char *chosen; /* glob of the other programs' probes that are wanted, NULL: all */
	enum source source;
	bool allow_denied;
	/* Of the probes that programs are wired to, is this one needed? NULL: all are. */
	bool (*is_needed)(const void *data, const char *probe, const struct attachment *so_far);
	/* And where a VM lacks it, is nothing attached there? NULL: each probe is for itself. */
	bool (*is_required)(const void *data, const char *probe);
	/* Does it say more of cases that others find? NULL: none does. */
	bool (*is_detail)(const void *data, const char *probe);
	const void *needed_data;
	const struct function_request *functions; /* for programs that are wired to functions, or NULL */
	bool with_terms;
	unsigned int args;			       /* that are read: sites that differ in others share a program */
	const struct attach_choice *choice;	       /* instead of what programs are wired to, or NULL */
	struct name_style names;		       /* how names are shown */
	bool is_paused[ATTACH_PARTS];		       /* prepare it, and leave linking to attachment_resume() */
	bool is_new;				       /* the target has just started: what it lacks may come */
	uint64_t erl_pid;			       /* a target that has no such process is not traced; 0: any */
	const struct breakpoints_request *breakpoints; /* on Erlang functions, that a target is to get; NULL: none */
	const char *erlang_functions;		       /* the same of functions, see erlang_functions.h; NULL: any */
};

/*
 * Attach everything to the target, which the attachment owns from then on (also when it fails).
 * 0, -ENOENT if it has none of the wanted probes or lacks a required one, -ESRCH if it ended meanwhile, or another
 * -errno, which is printed.
 */
int attach(const struct attach_request *request, struct target *target, struct attachment **attachment);

/*
 * The probes of a program. Where its section ends in a star, that stands for what the user names; who names the probe
 * whole is understood too. `buf` of ATTACH_GLOB_SIZE is for what is made of both.
 */
#define ATTACH_GLOB_SIZE 256
const char *attach_glob(const char *wired, const char *glob, char buf[ATTACH_GLOB_SIZE]);

/* Why a target has no probes, although it has what the user names: the first of the missing that matters, or NULL. */
const struct missing *attachment_reason(const struct attachment *attachment);

/*
 * Why it has none, as text, the caller's: "erlang:process-scheduled: the VM ...". NULL if it has probes, or memory is
 * short.
 */
char *attachment_refusal(const struct attachment *attachment);

/* Is something attached to sites of the probe, PROVIDER:PROBE? */
bool attachment_has(const struct attachment *attachment, const char *probe);

/* "usdt", "symbol", "usdt+symbol" or "none". */
const char *attachment_source(const struct attachment *attachment);

/* Take its probes away; what is known of the target stays. */
void attachment_detach(struct attachment *attachment);

/* Leave that to the caller, with guardian_unlink(): room for so many numbers, which are no longer its own. */
size_t attachment_give_links(struct attachment *attachment, enum attach_part part, int *numbers);

/* Put a part back, what was hit most last: probes are hit for nothing until all are there. 0 or -errno: then nothing of
 * it is there. */
int attachment_resume(struct attachment *attachment, const struct kernel *kernel, enum attach_part part);
void attachment_free(struct attachment *attachment);

#endif
