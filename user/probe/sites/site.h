/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites: where in an executable a probe fires, what programs read there, and what is missing of probes. */
#ifndef ERLBPF_PROBE_SITES_SITE_H
#define ERLBPF_PROBE_SITES_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

struct translator;

/* MATCHED: functions whose names the VM hides (user/match/). */
enum source { SOURCE_ANY, SOURCE_USDT, SOURCE_SYMBOL, SOURCE_MATCHED, SOURCES };

const char *source_name(enum source source);

/* One place in the executable at which a probe fires. */
struct site {
	uint32_t probe;
	enum source source;
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* in the file, 0: none */
	uint64_t place;	    /* how far behind the first byte of its function */
	bool at_return;
	bool before_return; /* and instead of it: where every way to it leads over */
	uint32_t function;  /* that stands for the probe (functions.h), 0 at a note */
	struct erl_config config;
	struct erl_operand save[ERL_SAVED_ARGS]; /* at its entry, with ERL_CONFIG_USES_SAVED */
	const struct translator *translator;	 /* NULL for a note's site */
};

/* A probe, or some arguments of one, that cannot be had on this VM. */
struct missing {
	uint32_t probe;
	uint32_t last; /* of a range of numbered probes for which the same holds */
	bool whole;    /* the probe itself, not only arguments */
	char why[416];
};

struct site_list {
	struct site *sites;
	size_t count;
	struct missing *missing;
	size_t missing_count;
};

/* For those who find sites: what they found, or not. 0 or -ENOMEM. */
int site_list_add(struct site_list *list, const struct site *site);
int site_list_add_missing(struct site_list *list, uint32_t probe, bool whole, const char *why);

void site_list_free(struct site_list *list);

#endif
