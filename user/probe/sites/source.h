/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources of probes on a VM. `usdt`: notes in the executable. `symbol`: exported functions, by a translator. `matched`:
 * the same for functions with hidden names, which were found by comparison. What a source cannot provide is listed as
 * missing.
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
	FUNCTIONS_TIME,	 /* returns, and the time since the entry */
	FUNCTIONS_SHOW,	 /* both, with arguments and value */
};

struct function_request {
	struct function_spec spec;
	enum function_mode mode;
	bool needs_process; /* probes need to know the calling process */
	bool wants_process; /* the calling process is shown if known */
};

struct site_request {
	const char *glob;			   /* probes to find */
	bool (*wants)(void *data, uint32_t probe); /* a filter instead of the glob, or NULL */
	void *wants_data;
	enum source source;		     /* SOURCE_ANY: the best one for each probe */
	bool allow_denied;		     /* --unsafe */
	const struct erl_pid_layout *pids;   /* of the process; NULL: arguments are not read */
	const struct erl_name_layout *names; /* the same */

	const struct function_request *functions; /* NULL: none */
	const struct target *target;  /* the process with the table of BIFs; NULL: use only the executable */
	const char *erlang_functions; /* pattern for probes that exist per function, NULL: all */

	bool with_terms;	     /* prefer functions, which have the terms, to notes */
	struct native_list *natives; /* of the process, NULL: unavailable */
};

/*
 * Finds the sites of the requested probes on this VM, and what is missing. 0 or -errno; the caller frees the list.
 * Broken notes are reported by pr_warn, once per VM.
 */
int site_list_make(struct vm *vm, const struct site_request *request, struct site_list *list);

#endif
