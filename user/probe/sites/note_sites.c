// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/search.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "probe/catalogue.h"
#include "probe/operand.h"
#include "probe/sites/note.h"

/* The notes of a VM, and the probe of each; -1: not in the catalogue. */
struct named_notes {
	struct note_list list;
	int64_t *probes;
};

/* A file may have any number of bad notes; more warnings do not help. */
#define MAX_WARNINGS 16

struct refusals {
	const struct vm *vm;
	size_t count;
};

static void warn_note(void *data, uint64_t offset, const char *why)
{
	struct refusals *refusals = data;

	if (++refusals->count <= MAX_WARNINGS)
		pr_warn("a note is not used: file offset 0x%llx of inode %llu: %s", (unsigned long long)offset,
			(unsigned long long)refusals->vm->inode, why);
}

/*
 * 0, or -errno if reading failed. If the section is broken, the VM counts as one without notes, and its functions may
 * be used.
 */
static int read_list(const struct vm *vm, struct note_list *list)
{
	struct refusals refusals = { .vm = vm };
	int err = note_list_read(vm->image, list, warn_note, &refusals);

	if (refusals.count > MAX_WARNINGS)
		pr_warn("%zu more notes of inode %llu are not used", refusals.count - MAX_WARNINGS,
			(unsigned long long)vm->inode);
	return err == -EINVAL ? 0 : err;
}

static void free_notes(void *data)
{
	struct named_notes *notes = data;

	free(notes->probes);
	note_list_free(&notes->list);
	free(notes);
}

/* NULL and errno on failure. */
static struct named_notes *read_notes(struct vm *vm)
{
	struct named_notes *notes = calloc(1, sizeof(*notes));
	int err = notes ? 0 : -ENOMEM;

	if (!err && vm->has_notes)
		err = read_list(vm, &notes->list);
	if (!err) {
		notes->probes = calloc(notes->list.count + 1, sizeof(*notes->probes));
		err = notes->probes ? 0 : -ENOMEM;
	}
	if (err) {
		if (notes)
			free_notes(notes);
		errno = -err;
		return NULL;
	}
	for (size_t i = 0; i < notes->list.count; i++) {
		const struct note *note = &notes->list.notes[i];

		notes->probes[i] = strcmp(note->provider, "erlang") ? -1 : probe_find("erlang", note->name);
	}
	return notes;
}

int note_sites_read(struct vm *vm)
{
	if (vm->notes)
		return 0;
	vm->notes = read_notes(vm);
	vm->free_notes = free_notes;
	return vm->notes ? 0 : -errno;
}

static int resolve_symbol(void *data, const char *name, int64_t *value)
{
	const struct image_symbol *symbol = image_symbol(data, name);

	if (!symbol)
		return -ENOENT;
	*value = (int64_t)symbol->address;
	return 0;
}

static enum erl_form form_of_note(const struct probe_def *def, int arg)
{
	if (arg >= def->argc)
		return ERL_FORM_NUMBER;
	return probe_arg_is_text(&def->args[arg]) ? ERL_FORM_TEXT : ERL_FORM_NUMBER;
}

static int site_of_note(const struct site_search *s, const struct note *note, uint32_t probe)
{
	const struct probe_def *def = probe_def(probe);
	struct erl_operand ops[ERL_MAX_ARGS] = {};
	struct site site = {
		.probe = probe,
		.source = SOURCE_USDT,
		.offset = note->site_offset,
		.semaphore = note->semaphore_offset,
	};
	struct operand_context context = {
		.arch = image_arch(s->vm->image),
		.site = note->site,
		.resolve = resolve_symbol,
		.data = s->vm->image,
	};
	const char *why;
	char text[sizeof(((struct missing *)0)->why)];
	int argc;

	argc = operand_parse_all(&context, note->args, ops, &why);
	if (argc < 0) {
		snprintf(text, sizeof(text), "the note at file offset 0x%llx cannot be used: %s (\"%.60s\")",
			 (unsigned long long)note->note_offset, why, note->args);
		return site_list_add_missing(s->list, probe, true, text);
	}
	/* Places after them are not arguments of the probe. */
	for (int i = 0; i < argc && i < ERL_ARG_TERM; i++) {
		site.config.args[i].operand = ops[i];
		site.config.args[i].form = form_of_note(def, i);
		if (site.config.args[i].form == ERL_FORM_TEXT)
			site.config.args[i].text_size = probe_arg_is_id(&def->args[i]) ? ERL_PID_TEXT : ERL_TEXT;
	}
	site.config.flags |= ERL_CONFIG_EMPTY_TEXT;
	source_set_layouts(s->request, s->vm, &site.config);
	return site_list_add(s->list, &site);
}

int note_sites(const struct site_search *s, uint32_t probe)
{
	const struct named_notes *notes = s->vm->notes;
	size_t before = s->list->count;

	for (size_t i = 0; i < notes->list.count; i++) {
		int err;

		if (notes->probes[i] != (int64_t)probe)
			continue;
		err = site_of_note(s, &notes->list.notes[i], probe);
		if (err)
			return err;
	}
	return (int)(s->list->count - before);
}
