// SPDX-License-Identifier: BSD-2-Clause
#include "probe/source.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "node/fields.h"
#include "node/bifs.h"
#include "probe/callers.h"
#include "probe/catalogue.h"
#include "probe/entry.h"
#include "probe/function_sites.h"
#include "probe/functions.h"
#include "probe/note.h"
#include "probe/operand.h"
#include "term.h"

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
	enum flavor flavor; /* FLAVOR_UNKNOWN: both */
	const char *function;
	bool each_bif;
	const char *bif; /* its name in Erlang, if it has one */
	bool at_return;
	const char *args[ERL_MAX_ARGS];
	const char *state;
	const char *term;
	const char *details;
	const char *copied_by;
	bool mfa[ERL_MAX_ARGS];
	bool callers; /* it matters who calls the function */
	bool text[ERL_MAX_ARGS];
	bool local_id[ERL_MAX_ARGS];
	const char *save[ERL_SAVED_ARGS]; /* at the entry; NULL: the function's argument */
	bool timed;
	struct guard_row guards[ERL_MAX_GUARDS];
	const char *missing;
	const char *accuracy;
	const char *instead;
	bool repairs;
	bool own_node;			/* the first argument is the VM's own node */
	const char *word[ERL_MAX_ARGS]; /* a text of up to eight characters, for D */
	uint64_t adds;			/* flags of the configuration, for D: see erl.h */
};

static const struct translator translators[] = {
#include "translators.def"
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A function that is probed. */
struct function {
	const char *name;
	uint64_t address, size;
};

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
		[SOURCE_ANY] = "any",
		[SOURCE_USDT] = "usdt",
		[SOURCE_SYMBOL] = "symbol",
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

const char *translator_missing(const struct translator *translator)
{
	return translator->missing;
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

int site_list_add(struct site_list *list, const struct site *site)
{
	struct site *grown = grow(list->sites, list->count, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	list->sites = grown;
	grown[list->count++] = *site;
	return 0;
}

int site_list_add_missing(struct site_list *list, uint32_t probe, bool whole, const char *why)
{
	struct missing *last = list->missing_count ? &list->missing[list->missing_count - 1] : NULL;
	struct missing *grown, *added;

	if (last && last->last + 1 == probe && probe_def(last->last) == probe_def(probe) && last->whole == whole &&
	    !strcmp(last->why, why)) {
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

static int resolve_symbol(void *data, const char *name, int64_t *value)
{
	const struct image_symbol *symbol = image_symbol(data, name);

	if (!symbol)
		return -ENOENT;
	*value = (int64_t)symbol->address;
	return 0;
}

static int resolve_field(void *data, const char *name, int64_t *value)
{
	return field_offset(data, name, value);
}

static void set_heap_layout(const struct vm *vm, struct erl_heap_layout *layout)
{
	const struct {
		const char *name;
		__u64 *offset;
	} wanted[] = {
		{ "process.heap", &layout->heap },	     { "process.htop", &layout->htop },
		{ "process.heap_sz", &layout->size },	     { "process.abandoned_heap", &layout->abandoned },
		{ "process.flags", &layout->flags },	     { "process.old_heap", &layout->old_heap },
		{ "process.old_htop", &layout->old_htop },   { "process.mbuf_sz", &layout->fragments },
		{ "process.scheduler", &layout->scheduler }, { "scheduler.reclaimed", &layout->reclaimed },
	};

	for (size_t i = 0; i < COUNT(wanted); i++) {
		int64_t offset;

		if (field_offset(vm, wanted[i].name, &offset)) {
			*layout = (struct erl_heap_layout){};
			return;
		}
		*wanted[i].offset = (__u64)offset;
	}
}

void source_set_layouts(const struct source_wish *wish, const struct vm *vm, struct erl_config *config)
{
	if (wish->names)
		config->names = *wish->names;
	if (!wish->pids)
		return;
	config->pids = *wish->pids;
	config->otp = (__u64)vm->otp;
	set_heap_layout(vm, &config->heap);
}

/* Notes. */

static bool has_nop5(const struct vm *vm, uint64_t site)
{
	static const unsigned char nop_nop5[] = { 0x90, 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	unsigned char code[sizeof(nop_nop5)];

	return image_arch(vm->image) == ARCH_X86_64 && !image_read_code(vm->image, site, code, sizeof(code)) &&
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
		return site_list_add_missing(s->list, probe, true, text);
	}
	/* A place behind them is not the probe's. */
	for (int i = 0; i < argc && i < ERL_ARG_TERM; i++) {
		site.config.args[i].operand = ops[i];
		site.config.args[i].form = form_of_note(def, i);
		if (site.config.args[i].form == ERL_FORM_TEXT)
			site.config.args[i].text_size = probe_arg_is_id(&def->args[i]) ? ERL_PID_TEXT : ERL_TEXT;
	}
	site.config.flags |= ERL_CONFIG_EMPTY_TEXT;
	source_set_layouts(s->wish, s->vm, &site.config);
	return site_list_add(s->list, &site);
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

static int parse_row_operand(const struct translator *t, const struct operand_context *context, const char *text,
			     struct erl_operand *op, bool *uses_saved)
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

/* The operand reads what a process or a port is known by, from its structure. */
static bool reads_local_id(const char *operand)
{
	static const char *const readers[] = { "8@process.id(", "8@port.id(", "8@port.owner(" };

	for (size_t i = 0; operand && i < sizeof(readers) / sizeof(*readers); i++) {
		if (!strncmp(operand, readers[i], strlen(readers[i])))
			return true;
	}
	return false;
}

static bool is_local_id(const struct translator *t, int arg)
{
	unsigned int saved;

	if (t->local_id[arg])
		return true;
	if (sscanf(t->args[arg], "8@%%s%u", &saved) == 1 && saved < ERL_SAVED_ARGS)
		return reads_local_id(t->save[saved]);
	return reads_local_id(t->args[arg]);
}

struct operand_context source_operands(const struct vm *vm)
{
	return (struct operand_context){
		.arch = image_arch(vm->image),
		.is_translator = true,
		.resolve = resolve_field,
		.data = (void *)vm,
	};
}

/* What the function's entry saves for its return. */
static int saves_of_row(const struct translator *t, const struct vm *vm, struct erl_operand save[ERL_SAVED_ARGS])
{
	static const char *const arguments[ERL_SAVED_ARGS] = { "8@%a0", "8@%a1", "8@%a2", "8@%a3" };
	struct operand_context context = source_operands(vm);
	bool unused = false;
	int err = 0;

	for (int i = 0; !err && t->at_return && i < ERL_SAVED_ARGS; i++)
		err = parse_row_operand(t, &context, t->save[i] ? t->save[i] : arguments[i], &save[i], &unused);
	return err;
}

static int config_of_row(const struct translator *t, const struct vm *vm, const struct probe_def *def,
			 struct erl_config *config)
{
	struct operand_context context = source_operands(vm);
	bool uses_saved = t->timed;
	bool knows_offsets;
	int64_t offset;
	int err = 0;

	for (int i = 0; !err && i < def->argc; i++) {
		err = parse_row_operand(t, &context, t->args[i], &config->args[i].operand, &uses_saved);
		config->args[i].form = form_of_row(t, def, i);
		config->args[i].text_size = config->args[i].form == ERL_FORM_TEXT ? ERL_TEXT : 0;
		if (config->args[i].form == ERL_FORM_TERM && is_local_id(t, i))
			config->local_ids |= 1ULL << i;
	}
	config->flags |= ERL_CONFIG_EMPTY_TEXT;
	if (t->own_node)
		config->args[0].form = ERL_FORM_OWN_NODE;
	for (int i = 0; i < def->argc; i++) {
		if (t->word[i])
			memcpy(&config->words[i], t->word[i], strnlen(t->word[i], sizeof(config->words[i])));
	}
	for (int i = def->argc; !err && i < ERL_ARG_TERM; i++) {
		err = parse_row_operand(t, &context, t->args[i], &config->args[i].operand, &uses_saved);
		config->args[i].form = t->args[i] ? ERL_FORM_TERM : ERL_FORM_NONE;
	}
	if (!err && t->term) {
		err = parse_row_operand(t, &context, t->term, &config->args[ERL_ARG_TERM].operand, &uses_saved);
		config->args[ERL_ARG_TERM].form = ERL_FORM_TERM;
	}
	/* Offsets are not known for every release; tools that use these do without then. */
	knows_offsets = !resolve_field((void *)vm, "process.state", &offset);
	if (!err && t->details && knows_offsets) {
		err = parse_row_operand(t, &context, t->details, &config->args[ERL_ARG_DETAILS].operand, &uses_saved);
		config->args[ERL_ARG_DETAILS].form = ERL_FORM_NUMBER;
	}
	if (!err && t->state && knows_offsets) {
		err = parse_row_operand(t, &context, t->state, &config->args[ERL_ARG_STATE].operand, &uses_saved);
		config->args[ERL_ARG_STATE].form = ERL_FORM_NUMBER;
	}
	for (int i = 0; !err && i < ERL_MAX_GUARDS && t->guards[i].left; i++) {
		struct erl_guard *guard = &config->guards[i];

		err = parse_row_operand(t, &context, t->guards[i].left, &guard->left, &uses_saved);
		if (!err)
			err = parse_row_operand(t, &context, t->guards[i].right, &guard->right, &uses_saved);
		guard->mask = t->guards[i].mask;
		guard->compare = t->guards[i].compare;
	}
	config->flags |= t->adds | (uses_saved ? ERL_CONFIG_USES_SAVED : 0) |
			 (t->guards[0].left ? ERL_CONFIG_HAS_GUARDS : 0) |
			 (t->copied_by && knows_offsets && image_symbol(vm->image, t->copied_by) ? ERL_CONFIG_IS_COPIED
												 : 0);
	return err;
}

static int make_site_of_row(const struct search *s, const struct translator *t, uint32_t probe, struct site *site)
{
	int err;

	*site = (struct site){
		.probe = probe,
		.source = SOURCE_SYMBOL,
		.at_return = t->at_return,
		.translator = t,
	};
	err = config_of_row(t, s->vm, probe_def(probe), &site->config);
	if (!err)
		err = saves_of_row(t, s->vm, site->save);
	source_set_layouts(s->wish, s->vm, &site->config);
	return err;
}

/* Read the operands at that place instead of the function's first byte. False: one is lost there. */
static bool move_operands(struct erl_operand *ops, size_t stride, size_t count, const struct entry_place *place)
{
	for (size_t i = 0; i < count; i++) {
		struct erl_operand *op = (struct erl_operand *)((char *)ops + i * stride);

		if (op->base != ERL_BASE_REG)
			continue;
		if (op->reg >= ENTRY_REGISTERS || place->now[op->reg] == ENTRY_LOST)
			return false;
		op->reg = place->now[op->reg];
	}
	return true;
}

static void make_cheap(const struct search *s, const struct function *function, struct site *site)
{
	struct site moved = *site;
	struct entry_place place;
	bool has_all;

	if (!entry_find_cheap(s->vm->image, function->address, function->size, &place))
		return;
	if (site->at_return)
		has_all = move_operands(moved.save, sizeof(*moved.save), ERL_SAVED_ARGS, &place);
	else
		has_all = move_operands(&moved.config.args[0].operand, sizeof(*moved.config.args), ERL_MAX_ARGS,
					&place) &&
			  move_operands(&moved.config.guards[0].left, sizeof(*moved.config.guards), ERL_MAX_GUARDS,
					&place) &&
			  move_operands(&moved.config.guards[0].right, sizeof(*moved.config.guards), ERL_MAX_GUARDS,
					&place);
	if (!has_all)
		return;
	moved.offset += place.offset;
	*site = moved;
}

/* 1 if there is code at the function's address, 0 if not, -errno. */
static int add_site_at(const struct search *s, const struct site *made, const struct function *function)
{
	struct site site = *made;
	int err = 0;

	if (image_code_offset(s->vm->image, function->address, &site.offset))
		return 0;
	site.function = function_number(function->name);
	if (made->translator->callers)
		err = callers_find(s->vm->image, function->address, site.config.callers);
	else
		make_cheap(s, function, &site);
	if (!err)
		err = site_list_add(s->list, &site);
	return err ? err : 1;
}

/* Does the pattern match? It is a text that ends with "*" where more may follow. */
static bool is_wanted(const struct source_wish *wish, const char *function)
{
	size_t n = wish->erlang_functions ? strcspn(wish->erlang_functions, "*") : 0;

	if (!wish->erlang_functions)
		return true;
	return !strncmp(wish->erlang_functions, function, n) && (wish->erlang_functions[n] == '*' || !function[n]);
}

static int sites_of_bifs(const struct search *s, const struct site *made)
{
	const struct bif_list *list = s->wish->target ? bifs_of(s->wish->target) : s->vm->bifs;
	int found = 0;

	for (size_t i = 0; list && i < list->count; i++) {
		struct function function = {
			list->bifs[i].mfa,
			list->bifs[i].address,
			list->bifs[i].size,
		};
		int got = is_wanted(s->wish, function.name) ? add_site_at(s, made, &function) : 0;

		if (got < 0)
			return got;
		found += got;
	}
	return found;
}

/* How many sites the row gave among the functions that the VM's tables point to, or -errno. */
static int sites_at_natives(const struct search *s, const struct translator *t, const struct site *made)
{
	struct native_list *list = s->wish->natives;
	int found = 0;

	if (!list || !strchr(t->function, ':'))
		return 0;
	native_list_read(list);
	for (size_t i = 0; i < list->count; i++) {
		const struct native *native = &list->natives[i];
		struct function function = { native->name, native->address, 0 };
		int got;

		/* A process may say what it likes, but a probe in mid-instruction kills all that share the file. */
		if (fnmatch(t->function, native->name, 0) || !image_points_to(s->vm->image, native->address))
			continue;
		got = add_site_at(s, made, &function);
		if (got < 0)
			return got;
		found += got;
	}
	return found;
}

/* How many sites the row gave, 0 if its function is not exported, -errno. */
static int sites_of_row(const struct search *s, const struct translator *t, uint32_t probe)
{
	const struct image_symbol *symbol = image_symbol(s->vm->image, t->function);
	struct function function = { .name = t->bif ? t->bif : t->function };
	struct site site;
	int err = make_site_of_row(s, t, probe, &site);

	if (err)
		return err;
	if (t->each_bif)
		return sites_of_bifs(s, &site);
	if (!symbol || !symbol->is_function)
		return sites_at_natives(s, t, &site);
	function.address = symbol->address;
	function.size = symbol->size;
	return add_site_at(s, &site, &function);
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
		int err = site_list_add_missing(s->list, probe, false, missing_args);

		if (err)
			return err;
	}
	return found;
}

/* Is there a translator that is better than the note? */
static bool prefers_symbol(const struct search *s, const struct probe_def *def)
{
	for (size_t i = 0; i < COUNT(translators); i++) {
		const struct translator *t = &translators[i];
		bool is_better = (t->instead && s->vm->flavor == FLAVOR_JIT) ||
				 (t->term && s->wish->with_terms && TERM_KNOWS_RELEASE(s->vm->otp));

		if (is_better && !strcmp(t->probe, def->name) && is_for(t, s->vm) &&
		    image_symbol(s->vm->image, t->function))
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

static const char *why_no_symbol(const struct vm *vm, const struct probe_def *def, char *buf, size_t size)
{
	if (!vm->has_functions)
		return "the VM exports no functions of its own (OTP 29 and later)";
	if (def->note_only)
		return def->note_only;
	for (size_t i = 0; i < COUNT(translators); i++) {
		if (!strcmp(translators[i].probe, def->name) && is_for(&translators[i], vm)) {
			if (translators[i].each_bif && image_symbol(vm->image, translators[i].function))
				return vm->bifs ? "no BIF is named so" : "the table of BIFs cannot be read";
			snprintf(buf, size, "the VM %s %s",
				 strchr(translators[i].function, ':') ? "has no" : "does not export",
				 translators[i].function);
			return buf;
		}
	}
	for (size_t i = 0; i < COUNT(translators); i++) {
		if (strcmp(translators[i].probe, def->name))
			continue;
		snprintf(buf, size, "its translator was not checked on OTP %d (%s)", vm->otp, flavor_name(vm->flavor));
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
		return site_list_add_missing(s->list, probe, true, def->never);
	why_note = !s->vm->has_notes				  ? "the VM was built without notes"
		   : def->emu_only && s->vm->flavor == FLAVOR_JIT ? def->emu_only
								  : "the VM has no such note";
	why_symbol = why_no_symbol(s->vm, def, buf, sizeof(buf));
	if (s->wish->source == SOURCE_USDT)
		return site_list_add_missing(s->list, probe, true, why_note);
	if (s->wish->source == SOURCE_SYMBOL)
		return site_list_add_missing(s->list, probe, true, why_symbol);
	snprintf(text, sizeof(text), "%s; %s", why_note, why_symbol);
	return site_list_add_missing(s->list, probe, true, text);
}

/* The probes of the provider vm whose functions are not ours to choose. */
static bool is_of_functions(const struct probe_def *def)
{
	return !strcmp(def->name, "uprobe-entry") || !strcmp(def->name, "uprobe-return");
}

static int find_functions(const struct search *s, uint32_t probe)
{
	if (!s->wish->functions)
		return site_list_add_missing(s->list, probe, true, "of which function is for `erlbpf uprobe` to say");
	if (s->wish->source == SOURCE_USDT)
		return site_list_add_missing(s->list, probe, true, "functions are no notes");
	return function_sites(s->vm, s->wish, probe, s->list);
}

static int find_sites(const struct search *s, uint32_t probe)
{
	const struct probe_def *def = probe_def(probe);
	const char *denied = probe_denied(def, s->vm->flavor == FLAVOR_JIT);
	enum source first = s->wish->source;
	int found;

	if (is_of_functions(def))
		return find_functions(s, probe);
	if (denied && !s->wish->allow_denied) {
		char text[sizeof(((struct missing *)0)->why)];

		snprintf(text, sizeof(text), "refused without --unsafe: %s", denied);
		return site_list_add_missing(s->list, probe, true, text);
	}
	if (first == SOURCE_ANY && (prefers_symbol(s, def) || note_misleads(s->vm, def)))
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

static bool is_probe_wanted(const struct source_wish *wish, uint32_t probe)
{
	return wish->wants ? wish->wants(wish->wants_data, probe) : probe_matches(probe, wish->glob);
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
		if (is_probe_wanted(wish, probe))
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
		.probe = t->probe,
		.function = t->function,
		.at_return = t->at_return,
		.otp = t->otp,
		.flavor = t->flavor,
		.accuracy = t->accuracy,
		.missing = t->missing,
		.instead = t->instead,
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
