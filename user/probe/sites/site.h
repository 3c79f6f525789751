/* SPDX-License-Identifier: BSD-2-Clause */
/* Sites: where in an executable a probe fires, and what programs read there; and what is missing. */
#ifndef ERLBPF_PROBE_SITES_SITE_H
#define ERLBPF_PROBE_SITES_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"

struct translator;

/* MATCHED: functions whose names were found by comparison (user/match/). */
enum source { SOURCE_ANY, SOURCE_USDT, SOURCE_SYMBOL, SOURCE_MATCHED, SOURCES };

const char *source_name(enum source source);

/* One place in the executable at which a probe fires. */
struct site {
	uint32_t probe;
	enum source source;
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* in the file, 0: none */
	uint64_t place;	    /* distance from the first byte of its function */
	bool at_return;
	bool before_return; /* replaces a return: every path to it leads over this site */
	uint32_t function;  /* the function of the site (functions.h), 0 for a note */
	struct erl_config config;
	struct erl_operand save[ERL_SAVED_ARGS]; /* read at the entry, with ERL_CONFIG_USES_SAVED */
	const struct translator *translator;	 /* NULL for a note */
};

/* A probe, or some of its arguments, not available on this VM. */
struct missing {
	uint32_t probe;
	uint32_t last; /* last of a range of numbered probes with the same reason */
	bool whole;    /* the probe itself is missing, not only arguments */
	char why[416];
};

struct site_list {
	struct site *sites;
	size_t count;
	struct missing *missing;
	size_t missing_count;
};

/* Add a result of a search. 0 or -ENOMEM. */
int site_list_add(struct site_list *list, const struct site *site);
int site_list_add_missing(struct site_list *list, uint32_t probe, bool whole, const char *why);

void site_list_free(struct site_list *list);

#endif
