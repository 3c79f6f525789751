// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/search.h"

#include <fnmatch.h>
#include <string.h>

#include "node/code/bifs.h"
#include "probe/callers.h"
#include "probe/catalogue.h"
#include "probe/code/instruction.h"
#include "probe/functions.h"
#include "probe/sites/erlang_functions.h"
#include "probe/sites/place.h"

/* A function to be probed. */
struct function {
	const char *name;
	uint64_t address, size;
};

/* 0 or -ENOMEM. */
static int add_sites_before_return(const struct site_search *s, const struct function *function,
				   const struct site *site, size_t *count)
{
	struct site moved[FLOW_EXITS];
	int err = 0;

	*count = place_before_return(s->vm->image, function->address, function->size, site, moved);
	for (size_t i = 0; !err && i < *count; i++)
		err = site_list_add(s->list, &moved[i]);
	return err;
}

/* 1, 0 if the address is not code, or -errno. */
static int add_site_at(const struct site_search *s, const struct site *made, const struct function *function)
{
	struct site site = *made;
	size_t count = 0;
	int err = 0;

	if (image_code_offset(s->vm->image, function->address, &site.offset) ||
	    !instruction_can_be_probed(s->vm->image, function->address))
		return 0;
	site.function = function_number(function->name);
	if (site.at_return)
		err = add_sites_before_return(s, function, &site, &count);
	if (err || count)
		return err ? err : 1;
	if (made->translator->callers)
		err = callers_find(s->vm->image, function->address, site.config.callers);
	else
		place_at_entry(s->vm->image, function->address, function->size, &site);
	if (!err)
		err = site_list_add(s->list, &site);
	return err ? err : 1;
}

static bool is_wanted(const struct site_request *request, const char *function)
{
	return !request->erlang_functions || erlang_function_matches(request->erlang_functions, function);
}

static int sites_of_bifs(const struct site_search *s, const struct site *made)
{
	const struct bif_list *list = s->request->target ? bifs_of(s->request->target) : s->vm->bifs;
	int found = 0;

	for (size_t i = 0; list && i < list->count; i++) {
		struct function function = {
			list->bifs[i].mfa,
			list->bifs[i].address,
			list->bifs[i].size,
		};
		int got = is_wanted(s->request, function.name) ? add_site_at(s, made, &function) : 0;

		if (got < 0)
			return got;
		found += got;
	}
	return found;
}

/* The number of sites at functions in the VM's tables, or -errno. */
static int sites_at_natives(const struct site_search *s, const struct translator *t, const struct site *made)
{
	struct native_list *list = s->request->natives;
	int found = 0;

	if (!list || !strchr(t->function, ':'))
		return 0;
	native_list_read(list);
	for (size_t i = 0; i < list->count; i++) {
		const struct native *native = &list->natives[i];
		struct function function = { native->name, native->address, 0 };
		int got;

		/*
		 * The table comes from the process and is hostile, but a probe inside an instruction kills all
		 * processes of the file, so the file must point to the function, too.
		 */
		if (fnmatch(t->function, native->name, 0) || !image_points_to(s->vm->image, native->address))
			continue;
		got = add_site_at(s, made, &function);
		if (got < 0)
			return got;
		found += got;
	}
	return found;
}

/* SOURCE_MATCHED also for tables that only comparison found. */
static enum source source_of(const struct vm *vm, const struct image_symbol *symbol)
{
	return (symbol ? symbol->is_matched : image_is_matched(vm->image)) ? SOURCE_MATCHED : SOURCE_SYMBOL;
}

/* The number of sites of the row, 0 if its function is not exported, or -errno. */
static int sites_of_row(const struct site_search *s, const struct translator *t, uint32_t probe)
{
	const struct image_symbol *symbol = image_symbol(s->vm->image, t->function);
	struct function function = { .name = t->bif ? t->bif : t->function };
	struct site site;
	int err = translator_make_site(s, t, probe, &site);

	if (err)
		return err;
	site.source = source_of(s->vm, symbol);
	if (t->each_bif)
		return sites_of_bifs(s, &site);
	if (!symbol || !symbol->is_function)
		return sites_at_natives(s, t, &site);
	function.address = symbol->address;
	function.size = symbol->size;
	return add_site_at(s, &site, &function);
}

static int sites_of_rows(const struct site_search *s, uint32_t probe, bool only_beside)
{
	const struct probe_def *def = probe_def(probe);
	const char *missing_args = NULL;
	int found = 0;

	/* A part of the hits must not pass for all. */
	if (translator_hidden(def->name, s->vm))
		return 0;

	for (size_t i = 0; i < translator_count; i++) {
		const struct translator *t = &translators[i];
		int got;

		if (strcmp(t->probe, def->name) || !translator_is_for(t, s->vm) || (only_beside && !t->beside))
			continue;
		got = sites_of_row(s, t, probe);
		if (got < 0)
			return got;
		found += got;
		if (got && t->missing && !missing_args)
			missing_args = t->missing;
	}
	if (found && missing_args) {
		int err = site_list_add_missing(s->list, probe, false, missing_args);

		if (err)
			return err;
	}
	return found;
}

int translator_sites(const struct site_search *s, uint32_t probe)
{
	return sites_of_rows(s, probe, false);
}

int translator_sites_beside_notes(const struct site_search *s, uint32_t probe)
{
	return sites_of_rows(s, probe, true);
}
