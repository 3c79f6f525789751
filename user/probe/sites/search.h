/* SPDX-License-Identifier: BSD-2-Clause */
/* How source.c looks for the sites of one probe: at notes, at functions of translators, at functions that the user
 * names. */
#ifndef ERLBPF_PROBE_SITES_SEARCH_H
#define ERLBPF_PROBE_SITES_SEARCH_H

#include "probe/sites/source.h"
#include "probe/translator.h"

/* Sites of a probe are looked for in one source after the other; this is what the searches share. */
struct site_search {
	const struct vm *vm;
	const struct site_request *request;
	struct site_list *list;
};

/* What programs know of the VM, beside where its arguments are. */
void source_set_layouts(const struct site_request *request, const struct vm *vm, struct erl_config *config);

/* How operands of ours are read for a VM: fields of its structures are known. */
struct operand_context source_operands(const struct vm *vm);

/* --- note_sites.c: the notes that a VM carries --- */

/* Reads the notes, once per VM, so broken ones are reported (pr_warn) once. 0 or -errno. */
int note_sites_read(struct vm *vm);

/* Adds the sites of a probe; the notes must have been read. How many there are, or -errno. */
int note_sites(const struct site_search *search, uint32_t probe);

/* --- translator_sites.c: functions of the VM that stand for probes --- */

/* Adds the sites of a probe, and what its arguments lack. How many sites there are, or -errno. */
int translator_sites(const struct site_search *search, uint32_t probe);

/* The same of the functions that are probed although the probe has notes, which do not fire for their hits. */
int translator_sites_beside_notes(const struct site_search *search, uint32_t probe);

/* --- translator_config.c --- */

/* The site of that probe, but for its place. 0, or -EINVAL if the row is wrong (pr_err). */
int translator_make_site(const struct site_search *search, const struct translator *t, uint32_t probe,
			 struct site *site);

/* --- function_sites.c: functions that the user names (struct function_request) --- */

#define FUNCTION_SITES_MAX 512 /* functions at a time without --unsafe */

/* The sites of vm:uprobe-entry or vm:uprobe-return, as the request's mode wants them. 0 or -errno. */
int function_sites(const struct vm *vm, const struct site_request *request, uint32_t probe, struct site_list *list);

#endif
