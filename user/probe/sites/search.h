/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How source.c searches for the sites of a probe: at notes, at functions of translators, and at functions that the user
 * names.
 */
#ifndef ERLBPF_PROBE_SITES_SEARCH_H
#define ERLBPF_PROBE_SITES_SEARCH_H

#include "probe/sites/source.h"
#include "probe/translator.h"

/* Shared by the searches, which are tried in order. */
struct site_search {
	const struct vm *vm;
	const struct site_request *request;
	struct site_list *list;
};

/* Sets the part of the configuration that describes the VM, not the arguments. */
void source_set_layouts(const struct site_request *request, const struct vm *vm, struct erl_config *config);

/* The context for translators' operands on a VM, with the fields of its structures. */
struct operand_context source_operands(const struct vm *vm);

/* --- note_sites.c: the notes that a VM carries --- */

/* Reads the notes once per VM, so broken ones are reported (pr_warn) once. 0 or -errno. */
int note_sites_read(struct vm *vm);

/* Adds the sites of a probe; the notes must have been read. The number of sites, or -errno. */
int note_sites(const struct site_search *search, uint32_t probe);

/* --- translator_sites.c: functions of the VM that stand for probes --- */

/* Adds the sites of a probe and its missing arguments. The number of sites, or -errno. */
int translator_sites(const struct site_search *search, uint32_t probe);

/* Same for functions that are probed in addition to the notes, which do not fire there. */
int translator_sites_beside_notes(const struct site_search *search, uint32_t probe);

/* --- translator_config.c --- */

/* A site of the probe, without its place. 0, or -EINVAL if the row is wrong (pr_err). */
int translator_make_site(const struct site_search *search, const struct translator *t, uint32_t probe,
			 struct site *site);

/* --- function_sites.c: functions that the user names (struct function_request) --- */

#define FUNCTION_SITES_MAX 512 /* number of functions allowed without --unsafe */

/* The sites of vm:uprobe-entry or vm:uprobe-return for the request's mode. 0 or -errno. */
int function_sites(const struct vm *vm, const struct site_request *request, uint32_t probe, struct site_list *list);

#endif
