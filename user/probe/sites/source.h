/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources: where a probe comes from on a given VM. `usdt`: from the notes the VM carries. `symbol`:
 * from functions that it exports, by a translator. `matched`: the same, where the VM hides its functions and they were
 * found by comparison. What a source cannot give is listed as missing.
 */
#ifndef ERLBPF_PROBE_SITES_SOURCE_H
#define ERLBPF_PROBE_SITES_SOURCE_H

#include "erl.h"
#include "node/code/natives.h"
#include "probe/operand.h"
#include "probe/prototype.h"
#include "probe/sites/site.h"
#include "target/target.h"

/* Functions that the user names, for the probes vm:uprobe-entry and vm:uprobe-return. */
enum function_mode {
	FUNCTIONS_COUNT, /* their entries */
	FUNCTIONS_TIME,	 /* their returns, and when they were entered */
	FUNCTIONS_SHOW,	 /* both, with arguments and value */
};

struct function_request {
	struct function_spec spec;
	enum function_mode mode;
	bool needs_process; /* whose calls they are must be known */
	bool wants_process; /* ... is of interest */
};

struct site_request {
	const char *glob;			   /* which probes */
	bool (*wants)(void *data, uint32_t probe); /* says so instead of the glob, or NULL */
	void *wants_data;
	enum source source;		     /* SOURCE_ANY: the best one for each probe */
	bool allow_denied;		     /* --unsafe */
	const struct erl_pid_layout *pids;   /* of the process, NULL: arguments will not be read */
	const struct erl_name_layout *names; /* the same */

	const struct function_request *functions; /* NULL: none */
	const struct target *target;  /* whose memory has the table of BIFs, NULL: what is known of the VM */
	const char *erlang_functions; /* of probes that are many, NULL: all */

	bool with_terms;	     /* rather functions that are given the terms than notes, which are not */
	struct native_list *natives; /* of the process, NULL: not to be had */
};

/*
 * The sites of the wanted probes on this VM, and what is missing of them. 0 or -errno; the caller
 * frees the list. Broken notes are reported by pr_warn, once per VM.
 */
int site_list_make(struct vm *vm, const struct site_request *request, struct site_list *list);

#endif
