// SPDX-License-Identifier: BSD-2-Clause
#include "probe/source.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "probe/catalogue.h"
#include "probe/functions.h"
#include "probe/note.h"
#include "probe/operand.h"

#define MAX_RELEASES 6

struct guard_row {
	const char *left;
	uint64_t mask;
	enum erl_compare compare;
	const char *right;
};

struct translator {
	const char *probe;
	int otp[MAX_RELEASES];
	enum flavor flavor;	/* FLAVOR_UNKNOWN: both */
	const char *function;
	bool at_return;
	const char *args[ERL_MAX_ARGS];
	const char *state;
	bool mfa[ERL_MAX_ARGS];
	bool text[ERL_MAX_ARGS];
	const char *save[ERL_SAVED_ARGS];	/* at the entry; NULL: the function's argument */
	bool timed;
	struct guard_row guards[ERL_MAX_GUARDS];
	const char *missing;
	const char *accuracy;
	const char *instead;
	bool repairs;
};

static const struct translator translators[] = {
#include "translators.def"
};

static const struct field {
	int otp;		/* 0: every release */
	const char *name;
	int64_t offset[2];	/* without notes, with notes */
} fields[] = {
#define FIELD(otp, name, offset, offset_with_notes) { otp, name, { offset, offset_with_notes } },
#include "fields.def"
#undef FIELD
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The notes of a VM, and which probe each is for, -1: none of ours. */
struct named_notes {
	struct note_list list;
	int64_t *probes;
};

/* Sites of a probe on a VM are looked for one source after the other; this is what they share. */
struct search {
	const struct vm *vm;
	const struct source_wish *wish;
	const struct named_notes *notes;
	struct site_list *list;
};

const char *source_name(enum source source)
{
	static const char *const names[] = {
		[SOURCE_ANY] = "any", [SOURCE_USDT] = "usdt", [SOURCE_SYMBOL] = "symbol",
	};

	return names[source];
}

const char *translator_function(const struct translator *translator)
{
	return translator->function;
}

const char *translator_accuracy(const struct translator *translator)
{
	return translator->accuracy;
}

const char *translator_instead(const struct translator *translator)
{
	return translator->instead;
}

static void *grow(void *array, size_t count, size_t size)
{
	/* By doubling: a full array has a power of two. */
	return count & (count - 1) ? array : realloc(array, (count ? count * 2 : 1) * size);
}

static int add_site(struct site_list *list, const struct site *site)
{
	struct site *grown = grow(list->sites, list->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	list->sites = grown;
	grown[list->count++] = *site;
	return 0;
}

static int add_missing(struct site_list *list, uint32_t probe, bool whole, const char *why)
{
	struct missing *last = list->missing_count ? &list->missing[list->missing_count - 1] : NULL;
	struct missing *grown, *added;

	if (last && last->last + 1 == probe && probe_def(last->last) == probe_def(probe) &&
	    last->whole == whole && !strcmp(last->why, why)) {
		last->last = probe;
		return 0;
	}
	grown = grow(list->missing, list->missing_count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->missing = grown;
	added = &grown[list->missing_count++];
	*added = (struct missing){ .probe = probe, .last = probe, .whole = whole };
	snprintf(added->why, sizeof(added->why), "%s", why);
	return 0;
}

static void set_layouts(struct erl_config *config, const struct source_wish *wish)
{
	if (wish->pids)
		config->pids = *wish->pids;
	if (wish->names)
		config->names = *wish->names;
}

static int resolve_symbol(void *data, const char *name, int64_t *value)
{
	const struct image_symbol *symbol = image_symbol(data, name);

	if (!symbol)
		return -ENOENT;
	*value = (int64_t)symbol->address;
	return 0;
}

int field_offset(const struct vm *vm, const char *name, int64_t *offset)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		if ((fields[i].otp && fields[i].otp != vm->otp) || strcmp(fields[i].name, name))
			continue;
		*offset = fields[i].offset[vm->has_notes];
		return 0;
	}
	return -ENOENT;
}

static int resolve_field(void *data, const char *name, int64_t *value)
{
	return field_offset(data, name, value);
}

/* Notes. */

static bool has_nop5(const struct vm *vm, uint64_t site)
{
	static const unsigned char nop_nop5[] = { 0x90, 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	unsigned char code[sizeof(nop_nop5)];

	return image_arch(vm->image) == ARCH_X86_64 &&
	       !image_read_code(vm->image, site, code, sizeof(code)) &&
	       !memcmp(code, nop_nop5, sizeof(code));
}

static enum erl_form form_of_note(const struct probe_def *def, int arg)
{
	if (arg >= def->argc)
		return ERL_FORM_NUMBER;
	return probe_arg_is_text(&def->args[arg]) ? ERL_FORM_TEXT : ERL_FORM_NUMBER;
}

static int site_of_note(const struct search *s, const struct note *note, uint32_t probe)
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

	if (s->wish->use_nop5 && has_nop5(s->vm, note->site)) {
		context.site++;
		site.offset++;
	}
	argc = operand_parse_all(&context, note->args, ops, &why);
	if (argc < 0) {
		snprintf(text, sizeof(text), "the note at file offset 0x%llx cannot be used: %s (\"%.60s\")",
			 (unsigned long long)note->note_offset, why, note->args);
		return add_missing(s->list, probe, true, text);
	}
	/* A place behind them is not the probe's. */
	for (int i = 0; i < argc && i < ERL_ARG_STATE; i++) {
		site.config.args[i].operand = ops[i];
		site.config.args[i].form = form_of_note(def, i);
		if (site.config.args[i].form == ERL_FORM_TEXT)
			site.config.args[i].text_size = probe_arg_is_id(&def->args[i]) ? ERL_PID_TEXT
										       : ERL_TEXT;
	}
	set_layouts(&site.config, s->wish);
	return add_site(s->list, &site);
}

/* Number of sites found, or -errno. */
static int find_notes(const struct search *s, uint32_t probe)
{
	size_t before = s->list->count;

	for (size_t i = 0; i < s->notes->list.count; i++) {
		int err;

		if (s->notes->probes[i] != (int64_t)probe)
			continue;
		err = site_of_note(s, &s->notes->list.notes[i], probe);
		if (err)
			return err;
	}
	return (int)(s->list->count - before);
}

/* Translators. */

static bool is_for(const struct translator *t, const struct vm *vm)
{
	if (t->flavor != FLAVOR_UNKNOWN && t->flavor != vm->flavor)
		return false;
	for (size_t i = 0; i < MAX_RELEASES && t->otp[i]; i++) {
		if (t->otp[i] == vm->otp)
			return true;
	}
	return false;
}

/* A mistake in translators.def; the tests parse every row, so no user sees it. */
static int bad_row(const struct translator *t, const char *text, const char *why)
{
	pr_err("translators.def: %s at %s: \"%s\": %s", t->probe, t->function, text, why);
	return -EINVAL;
}

static int parse_row_operand(const struct translator *t, const struct operand_context *context,
			     const char *text, struct erl_operand *op, bool *uses_saved)
{
	const char *at = text, *why = NULL;

	if (!text)
		return 0;
	if (operand_parse(context, &at, op, &why))
		return bad_row(t, text, why);
	*uses_saved |= op->base == ERL_BASE_SAVED;
	return 0;
}

static enum erl_form form_of_row(const struct translator *t, const struct probe_def *def, int arg)
{
	if (!t->args[arg])
		return ERL_FORM_NONE;
	if (t->mfa[arg])
		return ERL_FORM_MFA;
	if (t->text[arg])
		return ERL_FORM_TEXT;
	return probe_arg_is_text(&def->args[arg]) || probe_arg_is_term(&def->args[arg]) ? ERL_FORM_TERM
											: ERL_FORM_NUMBER;
}

static struct operand_context row_context(const struct vm *vm)
{
	return (struct operand_context){
		.arch = image_arch(vm->image), .is_translator = true,
		.resolve = resolve_field, .data = (void *)vm,
	};
}

/* What the function's entry saves for its return. */
static int saves_of_row(const struct translator *t, const struct vm *vm,
			struct erl_operand save[ERL_SAVED_ARGS])
{
	static const char *const arguments[ERL_SAVED_ARGS] = { "8@%a0", "8@%a1", "8@%a2", "8@%a3" };
	struct operand_context context = row_context(vm);
	bool unused = false;
	int err = 0;

	for (int i = 0; !err && t->at_return && i < ERL_SAVED_ARGS; i++)
		err = parse_row_operand(t, &context, t->save[i] ? t->save[i] : arguments[i], &save[i],
					&unused);
	return err;
}

static int config_of_row(const struct translator *t, const struct vm *vm, const struct probe_def *def,
			 struct erl_config *config)
{
	struct operand_context context = row_context(vm);
	bool uses_saved = t->timed;
	int64_t offset;
	int err = 0;

	for (int i = 0; !err && i < def->argc; i++) {
		err = parse_row_operand(t, &context, t->args[i], &config->args[i].operand, &uses_saved);
		config->args[i].form = form_of_row(t, def, i);
		config->args[i].text_size = config->args[i].form == ERL_FORM_TEXT ? ERL_TEXT : 0;
	}
	/* Its offset is not known for every release; then it is not needed either (erl_state_of()). */
	if (!err && t->state && !resolve_field((void *)vm, "process.state", &offset)) {
		err = parse_row_operand(t, &context, t->state, &config->args[ERL_ARG_STATE].operand,
					&uses_saved);
		config->args[ERL_ARG_STATE].form = ERL_FORM_NUMBER;
	}
	for (int i = 0; !err && i < ERL_MAX_GUARDS && t->guards[i].left; i++) {
		struct erl_guard *guard = &config->guards[i];

		err = parse_row_operand(t, &context, t->guards[i].left, &guard->left, &uses_saved);
		if (!err)
			err = parse_row_operand(t, &context, t->guards[i].right, &guard->right,
						&uses_saved);
		guard->mask = t->guards[i].mask;
		guard->compare = t->guards[i].compare;
	}
	config->flags = (uses_saved ? ERL_CONFIG_USES_SAVED : 0) |
			(t->guards[0].left ? ERL_CONFIG_HAS_GUARDS : 0);
	return err;
}

/* 1 if the row gave a site at the function, 0 if there is no code, -errno. */
static int site_at(const struct search *s, const struct translator *t, uint32_t probe, const char *function,
		   uint64_t address)
{
	struct site site = {
		.probe = probe,
		.source = SOURCE_SYMBOL,
		.at_return = t->at_return,
		.function = function_number(function),
		.translator = t,
	};
	int err;

	if (image_code_offset(s->vm->image, address, &site.offset))
		return 0;
	err = config_of_row(t, s->vm, probe_def(probe), &site.config);
	if (!err)
		err = saves_of_row(t, s->vm, site.save);
	set_layouts(&site.config, s->wish);
	if (!err)
		err = add_site(s->list, &site);
	return err ? err : 1;
}

/* How many sites the row gave among the functions that the VM's tables point to, or -errno. */
static int sites_at_natives(const struct search *s, const struct translator *t, uint32_t probe)
{
	int found = 0;

	for (size_t i = 0; s->wish->natives && i < s->wish->natives->count; i++) {
		const struct native *native = &s->wish->natives->natives[i];
		int got;

		/* A process may say what it likes, but a probe in mid-instruction kills all that share the file. */
		if (fnmatch(t->function, native->name, 0) || !image_points_to(s->vm->image, native->address))
			continue;
		got = site_at(s, t, probe, native->name, native->address);
		if (got < 0)
			return got;
		found += got;
	}
	return found;
}

static int sites_of_row(const struct search *s, const struct translator *t, uint32_t probe)
{
	const struct image_symbol *symbol = image_symbol(s->vm->image, t->function);

	if (symbol && symbol->is_function)
		return site_at(s, t, probe, t->function, symbol->address);
	return sites_at_natives(s, t, probe);
}

static int find_rows(const struct search *s, uint32_t probe)
{
	const struct probe_def *def = probe_def(probe);
	const char *missing_args = NULL;
	int found = 0;

	for (size_t i = 0; i < COUNT(translators); i++) {
		const struct translator *t = &translators[i];
		int got;

		if (strcmp(t->probe, def->name) || !is_for(t, s->vm))
			continue;
		got = sites_of_row(s, t, probe);
		if (got < 0)
			return got;
		found += got;
		if (got && t->missing && !missing_args)
			missing_args = t->missing;
	}
	if (found && missing_args) {
		int err = add_missing(s->list, probe, false, missing_args);

		if (err)
			return err;
	}
	return found;
}

/* Is there a translator that is better than the note? */
static bool prefers_symbol(const struct vm *vm, const struct probe_def *def)
{
	if (vm->flavor != FLAVOR_JIT)
		return false;
	for (size_t i = 0; i < COUNT(translators); i++) {
		const struct translator *t = &translators[i];

		if (!strcmp(t->probe, def->name) && t->instead && is_for(t, vm) &&
		    image_symbol(vm->image, t->function))
			return true;
	}
	return false;
}

/* Does the note mislead on this VM, so that without a translator there is nothing? */
static bool note_misleads(const struct vm *vm, const struct probe_def *def)
{
	for (size_t i = 0; i < COUNT(translators); i++) {
		if (translators[i].repairs && !strcmp(translators[i].probe, def->name))
			return vm->flavor == FLAVOR_JIT;
	}
	return false;
}

static const char *why_no_symbol(const struct vm *vm, const struct probe_def *def, char *buf,
				 size_t size)
{
	if (!vm->has_functions)
		return "the VM exports no functions of its own (OTP 29 and later)";
	for (size_t i = 0; i < COUNT(translators); i++) {
		if (!strcmp(translators[i].probe, def->name) && is_for(&translators[i], vm)) {
			snprintf(buf, size, "the VM %s %s",
				 strchr(translators[i].function, ':') ? "has no" : "does not export",
				 translators[i].function);
			return buf;
		}
	}
	for (size_t i = 0; i < COUNT(translators); i++) {
		if (strcmp(translators[i].probe, def->name))
			continue;
		snprintf(buf, size, "its translator was not checked on OTP %d (%s)", vm->otp,
			 flavor_name(vm->flavor));
		return buf;
	}
	return "no translator";
}

static int explain_missing(const struct search *s, uint32_t probe)
{
	const struct probe_def *def = probe_def(probe);
	const char *why_note, *why_symbol;
	char buf[96], text[sizeof(((struct missing *)0)->why)];

	if (def->never)
		return add_missing(s->list, probe, true, def->never);
	why_note = !s->vm->has_notes ? "the VM was built without notes"
		 : def->emu_only && s->vm->flavor == FLAVOR_JIT ? def->emu_only : "the VM has no such note";
	why_symbol = why_no_symbol(s->vm, def, buf, sizeof(buf));
	if (s->wish->source == SOURCE_USDT)
		return add_missing(s->list, probe, true, why_note);
	if (s->wish->source == SOURCE_SYMBOL)
		return add_missing(s->list, probe, true, why_symbol);
	snprintf(text, sizeof(text), "%s; %s", why_note, why_symbol);
	return add_missing(s->list, probe, true, text);
}

static int find_sites(const struct search *s, uint32_t probe)
{
	const struct probe_def *def = probe_def(probe);
	const char *denied = probe_denied(def, s->vm->flavor == FLAVOR_JIT);
	enum source first = s->wish->source;
	int found;

	if (denied && !s->wish->allow_denied) {
		char text[sizeof(((struct missing *)0)->why)];

		snprintf(text, sizeof(text), "refused without --unsafe: %s", denied);
		return add_missing(s->list, probe, true, text);
	}
	if (first == SOURCE_ANY && (prefers_symbol(s->vm, def) || note_misleads(s->vm, def)))
		first = SOURCE_SYMBOL;
	if (first == SOURCE_ANY)
		first = SOURCE_USDT;
	found = first == SOURCE_USDT ? find_notes(s, probe) : find_rows(s, probe);
	if (!found && s->wish->source == SOURCE_ANY && first == SOURCE_USDT)
		found = find_rows(s, probe);
	if (found)
		return found < 0 ? found : 0;
	return explain_missing(s, probe);
}

static void warn_note(void *data, uint64_t offset, const char *why)
{
	const struct vm *vm = data;

	pr_warn("a note is not used: file offset 0x%llx of inode %llu: %s", (unsigned long long)offset,
		(unsigned long long)vm->inode, why);
}

static void free_notes(void *data)
{
	struct named_notes *notes = data;

	free(notes->probes);
	note_list_free(&notes->list);
	free(notes);
}

/* Read once per VM, and so are broken notes reported once. A broken section: the functions may do. */
static struct named_notes *read_notes(struct vm *vm)
{
	struct named_notes *notes = calloc(1, sizeof(*notes));

	if (!notes)
		return NULL;
	if (vm->has_notes)
		note_list_read(vm->image, &notes->list, warn_note, vm);
	notes->probes = calloc(notes->list.count + 1, sizeof(*notes->probes));
	if (!notes->probes) {
		free_notes(notes);
		return NULL;
	}
	for (size_t i = 0; i < notes->list.count; i++) {
		const struct note *note = &notes->list.notes[i];

		notes->probes[i] = strcmp(note->provider, "erlang") ? -1 : probe_find("erlang", note->name);
	}
	return notes;
}

int site_list_make(struct vm *vm, const struct source_wish *wish, struct site_list *list)
{
	struct search s = { .vm = vm, .wish = wish, .list = list };
	int err = 0;

	*list = (struct site_list){};
	if (!vm->notes) {
		vm->notes = read_notes(vm);
		vm->free_notes = free_notes;
	}
	s.notes = vm->notes;
	if (!s.notes)
		return -ENOMEM;
	for (uint32_t probe = 0; !err && probe < probe_count(); probe++) {
		if (probe_matches(probe, wish->glob))
			err = find_sites(&s, probe);
	}
	if (err)
		site_list_free(list);
	return err;
}

void site_list_free(struct site_list *list)
{
	free(list->sites);
	free(list->missing);
	*list = (struct site_list){};
}

static struct translator_row row_of(const struct translator *t)
{
	struct translator_row row = {
		.probe = t->probe, .function = t->function, .at_return = t->at_return, .otp = t->otp,
		.flavor = t->flavor, .accuracy = t->accuracy, .missing = t->missing, .instead = t->instead,
	};

	while (row.otp_count < MAX_RELEASES && t->otp[row.otp_count])
		row.otp_count++;
	for (int i = 0; i < ERL_MAX_ARGS; i++)
		row.args |= t->args[i] ? 1u << i : 0;
	return row;
}

void translator_each(void (*visit)(void *data, const struct translator_row *row), void *data)
{
	for (size_t i = 0; i < COUNT(translators); i++) {
		struct translator_row row = row_of(&translators[i]);

		visit(data, &row);
	}
}
