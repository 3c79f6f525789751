/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sources: where a probe comes from on a given VM. `usdt`: from the notes the VM carries. `symbol`:
 * from functions that it exports, by a translator. What a source cannot give is listed as missing.
 */
#ifndef ERLBPF_PROBE_SOURCE_H
#define ERLBPF_PROBE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "probe/prototype.h"
#include "node/natives.h"
#include "target/target.h"

enum source { SOURCE_ANY, SOURCE_USDT, SOURCE_SYMBOL };

const char *source_name(enum source source);

/* One place in the executable at which a probe fires. */
struct site {
	uint32_t probe;
	enum source source;
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* in the file, 0: none */
	bool at_return;
	uint32_t function; /* that stands for the probe (functions.h), 0 at a note */
	struct erl_config config;
	struct erl_operand save[ERL_SAVED_ARGS]; /* at its entry, with ERL_CONFIG_USES_SAVED */
	const struct translator *translator;	 /* NULL for a note's site */
};

/* A probe, or some arguments of one, that cannot be had on this VM. */
struct missing {
	uint32_t probe;
	uint32_t last; /* of a range of numbered probes for which the same holds */
	bool whole;    /* the probe itself, not only arguments */
	char why[320];
};

struct site_list {
	struct site *sites;
	size_t count;
	struct missing *missing;
	size_t missing_count;
};

/* Functions that the user names, for the probes vm:uprobe-entry and vm:uprobe-return. */
enum function_mode {
	FUNCTIONS_COUNT, /* their entries */
	FUNCTIONS_TIME,	 /* their returns, and when they were entered */
	FUNCTIONS_SHOW,	 /* both, with arguments and value */
};

struct function_wish {
	struct function_spec spec;
	enum function_mode mode;
	bool needs_process; /* whose calls they are must be known */
	bool wants_process; /* ... is of interest */
};

struct source_wish {
	const char *glob;			   /* which probes */
	bool (*wants)(void *data, uint32_t probe); /* says so instead of the glob, or NULL */
	void *wants_data;
	enum source source;		     /* SOURCE_ANY: the best one for each probe */
	bool allow_denied;		     /* --unsafe */
	const struct erl_pid_layout *pids;   /* of the process, NULL: arguments will not be read */
	const struct erl_name_layout *names; /* the same */

	const struct function_wish *functions; /* NULL: none */
	const struct target *target;	       /* whose memory has the table of BIFs, NULL: what is known of the VM */
	const char *erlang_functions;	       /* of probes that are many, NULL: all */

	bool with_terms;	     /* rather functions that are given the terms than notes, which are not */
	struct native_list *natives; /* of the process, NULL: not to be had */
	bool use_nop5;		     /* the kernel makes good use of a nop5 behind a site's nop */
};

/*
 * The sites of the wanted probes on this VM, and what is missing of them. 0 or -errno; the caller
 * frees the list. Broken notes are reported by pr_warn, once per VM.
 */
int site_list_make(struct vm *vm, const struct source_wish *wish, struct site_list *list);
void site_list_free(struct site_list *list);

/* For those who find sites: what they found, or not. 0 or -ENOMEM. */
int site_list_add(struct site_list *list, const struct site *site);
int site_list_add_missing(struct site_list *list, uint32_t probe, bool whole, const char *why);

/* What programs know of the VM, beside where its arguments are. */
void source_set_layouts(const struct source_wish *wish, const struct vm *vm, struct erl_config *config);

/* How operands of ours are read for a VM: fields of its structures are known. */
struct operand_context source_operands(const struct vm *vm);

/* A translator, for listings. */
const char *translator_function(const struct translator *translator);
const char *translator_accuracy(const struct translator *translator);
const char *translator_missing(const struct translator *translator); /* NULL: nothing */
const char *translator_instead(const struct translator *translator);

/* A row of the translators, for the generated references. */
struct translator_row {
	const char *probe;
	const char *function;
	bool at_return;
	const int *otp; /* releases for which it was checked */
	size_t otp_count;
	enum flavor flavor; /* FLAVOR_UNKNOWN: both */
	unsigned int args;  /* arguments that it gives, a bit for each */
	const char *accuracy;
	const char *missing; /* why it gives no more, NULL: there is no more */
	const char *instead; /* of the note under the JIT, and why; NULL: only without notes */
};

void translator_each(void (*visit)(void *data, const struct translator_row *row), void *data);

#endif
