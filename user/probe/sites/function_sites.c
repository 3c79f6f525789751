// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the sites of functions by a glob. Prototypes come from the command line, the node's table of BIFs, or
 * probes/functions.def, in this order; other functions are only counted and timed.
 *
 * For a return probe, the kernel replaces the return address on the stack. This is safe only for functions that are
 * called and return, on the same stack. Others are refused.
 */
#include "probe/sites/search.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"
#include "node/code/bifs.h"
#include "probe/catalogue.h"
#include "probe/code/instruction.h"
#include "probe/functions.h"
#include "probe/operand.h"
#include "probe/sites/place.h"

#define MAX_REASONS 8
#define SAVED_PROCESS 1 /* index of the saved process address; index 0 is its pid */

struct found {
	const struct image_symbol *symbol;
	const struct bif *bif; /* or NULL */
	uint64_t offset;       /* in the file */
	bool has_prototype;
	struct prototype prototype;
};

/* Skipped functions, by reason. */
struct refusal {
	const char *why;
	char names[160];
	size_t count;
};

struct search {
	const struct vm *vm;
	const struct site_request *request;
	const struct function_request *functions;
	const struct bif_list *bifs; /* of the process; NULL: treat BIFs as other functions */
	uint32_t probe;
	bool at_return;
	struct site_list *list;
	struct found *found;
	size_t count;
	struct refusal refusals[MAX_REASONS];
	size_t refusal_count;
	char stepped[160]; /* functions whose probes are slow */
	size_t stepped_count;
};

/* Appends a function's name to a list for a message; if it is full, counts the rest. */
static void add_name(char *names, size_t size, size_t known, const char *name)
{
	size_t n = strlen(names);

	if (n >= 3 && !strcmp(names + n - 3, "..."))
		return;
	/* Leaves room for "and N more". */
	if (n + strlen(name) + 8 <= size)
		snprintf(names + n, size - n, "%s%s", known ? ", " : "", name);
	else
		snprintf(names + n, size - n, ", ...");
}

static void refuse(struct search *s, const char *name, const char *why)
{
	struct refusal *refusal = s->refusals;

	while (refusal < s->refusals + s->refusal_count && strcmp(refusal->why, why))
		refusal++;
	if (refusal == s->refusals + MAX_REASONS)
		return;
	if (refusal == s->refusals + s->refusal_count)
		s->refusals[s->refusal_count++] = (struct refusal){ .why = why };
	add_name(refusal->names, sizeof(refusal->names), refusal->count++, name);
}

/* Matching. */

/* With and without the arity. */
static bool matches_bif(const char *glob, const char *name)
{
	char alone[BIF_MFA_SIZE];

	snprintf(alone, sizeof(alone), "%.*s", (int)(strrchr(name, '/') - name), name);
	return !fnmatch(glob, name, 0) || (!strchr(glob, '/') && !fnmatch(glob, alone, 0));
}

static bool matches(const struct search *s, const struct image_symbol *symbol, const struct bif *bif)
{
	const char *glob = s->functions->spec.glob;

	return !fnmatch(glob, symbol->name, 0) || (bif && matches_bif(glob, bif->mfa));
}

/* By address; of several names for one function, the best first. */
static int by_place(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return image_symbol_compare(x->symbol, y->symbol);
}

static void forget_aliases(struct search *s)
{
	size_t kept = 0;

	qsort(s->found, s->count, sizeof(*s->found), by_place);
	for (size_t i = 0; i < s->count; i++) {
		if (!kept || s->found[kept - 1].offset != s->found[i].offset)
			s->found[kept++] = s->found[i];
	}
	s->count = kept;
}

static void set_prototype(const struct search *s, struct found *f)
{
	f->has_prototype = true;
	if (s->functions->spec.has_prototype)
		f->prototype = s->functions->spec.prototype;
	else if (f->bif)
		f->prototype = prototype_of_bif(f->bif->arity);
	else
		f->has_prototype = prototype_known(f->symbol->name, s->vm->like, &f->prototype);
}

static bool is_wanted(const struct search *s, const struct image_symbol *symbol, struct found *f)
{
	*f = (struct found){ .symbol = symbol };
	if (!symbol->is_function || image_code_offset(s->vm->image, symbol->address, &f->offset))
		return false;
	f->bif = bif_find(s->bifs, symbol->address);
	return matches(s, symbol, f->bif);
}

/* A file may have a million symbols, so they are counted before memory is allocated. */
static int find(struct search *s)
{
	const struct image_symbol *symbols;
	struct found f;
	size_t count, wanted = 0;

	symbols = image_symbols(s->vm->image, &count);
	for (size_t i = 0; i < count; i++)
		wanted += is_wanted(s, &symbols[i], &f);
	s->found = calloc(wanted + 1, sizeof(*s->found));
	if (!s->found)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		s->count += is_wanted(s, &symbols[i], &s->found[s->count]);
	forget_aliases(s);
	for (size_t i = 0; i < s->count; i++)
		set_prototype(s, &s->found[i]);
	return 0;
}

/* Configurations. */

/* False: the offset of the field in this release is unknown, so the value is not available. */
__attribute__((format(printf, 3, 4))) static bool parse(const struct operand_context *context, struct erl_operand *op,
							const char *format, ...)
{
	char text[64];
	const char *at = text, *why;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!operand_parse(context, &at, op, &why))
		return true;
	*op = (struct erl_operand){};
	return false;
}

/* Sets where a value of this type is, relative to its register. */
static void parse_value(const struct operand_context *context, const struct c_type *type, const char *reg,
			struct erl_arg *arg)
{
	static const struct {
		const char *size, *field;
		enum erl_form form;
	} forms[] = {
		[C_TYPE_INT] = { "-4@", NULL, ERL_FORM_SIGNED },
		[C_TYPE_UINT] = { "4@", NULL, ERL_FORM_NUMBER },
		[C_TYPE_LONG] = { "-8@", NULL, ERL_FORM_SIGNED },
		[C_TYPE_ULONG] = { "8@", NULL, ERL_FORM_NUMBER },
		[C_TYPE_BOOL] = { "1@", NULL, ERL_FORM_NUMBER },
		[C_TYPE_HEX] = { "8@", NULL, ERL_FORM_ADDRESS },
		[C_TYPE_TERM] = { "8@", NULL, ERL_FORM_TERM },
		[C_TYPE_PROCESS] = { "8@", "process.id", ERL_FORM_TERM },
		[C_TYPE_PORT] = { "8@", "port.id", ERL_FORM_TERM },
		[C_TYPE_MFA] = { "8@", NULL, ERL_FORM_MFA },
		[C_TYPE_TEXT] = { "8@", NULL, ERL_FORM_TEXT },
		[C_TYPE_BYTES] = { "8@", NULL, ERL_FORM_BYTES },
	};
	const char *field = forms[type->kind].field;

	arg->form = forms[type->kind].form;
	if (!parse(context, &arg->operand, "%s%s%s%s%s", forms[type->kind].size, field ? field : "", field ? "(" : "",
		   reg, field ? ")" : ""))
		arg->form = ERL_FORM_SKIPPED;
	arg->text_size = type->kind == C_TYPE_BYTES ? type->count : type->kind == C_TYPE_TEXT ? PROTOTYPE_BYTES : 0;
}

/* The register with the calling process, -1: unknown. */
static int process_register(const struct found *f)
{
	for (size_t i = 0; f->has_prototype && i < f->prototype.argc; i++) {
		if (f->prototype.args[i].kind == C_TYPE_PROCESS)
			return (int)i;
	}
	return -1;
}

/* In Erlang, the process is not an argument of a BIF. */
static void set_args(const struct operand_context *context, const struct found *f, struct erl_config *config)
{
	const struct prototype *prototype = &f->prototype;
	bool is_bif = f->bif && process_register(f) == 0;
	struct erl_arg *arg = &config->args[1];

	for (size_t i = is_bif; f->has_prototype && i < prototype->argc; i++) {
		const struct c_type *type = &prototype->args[i];
		char reg[] = { '%', 'a', (char)('0' + i), '\0' };

		if (type->kind == C_TYPE_SKIP) {
			arg++->form = ERL_FORM_SKIPPED;
		} else if (type->kind != C_TYPE_TERMS) {
			parse_value(context, type, reg, arg++);
		} else {
			for (uint32_t n = 0; n < type->count; n++, arg++) {
				parse(context, &arg->operand, "8@%u(%s)", n * 8, reg);
				arg->form = ERL_FORM_TERM;
			}
		}
	}
	if (!f->has_prototype || prototype->has_more)
		arg->form = ERL_FORM_MORE;
}

static void config_of_entry(const struct search *s, const struct operand_context *context, const struct found *f,
			    struct erl_config *config)
{
	bool is_certain;
	int process = process_register(f);

	if (process >= 0 && s->functions->wants_process) {
		parse(context, &config->args[0].operand, "8@process.id(%%a%d)", process);
		config->args[0].form = ERL_FORM_TERM;
	}
	if (s->functions->mode != FUNCTIONS_SHOW)
		return;
	set_args(context, f, config);
	if (function_no_return(f->symbol->name, &is_certain) && (is_certain || !s->request->allow_denied))
		config->flags |= ERL_CONFIG_ENTRY_ONLY;
}

/* A BIF that fails stores the reason in the process structure. */
static void set_exception(const struct operand_context *context, struct erl_config *config)
{
	struct erl_arg *reason = &config->args[ERL_ARG_STATE], *value = &config->args[ERL_ARG_TERM];

	if (parse(context, &reason->operand, "8@process.freason(%%s%d)", SAVED_PROCESS))
		reason->form = ERL_FORM_NUMBER;
	if (parse(context, &value->operand, "8@process.fvalue(%%s%d)", SAVED_PROCESS))
		value->form = ERL_FORM_TERM;
}

static void config_of_return(const struct search *s, const struct operand_context *context, const struct found *f,
			     struct site *site)
{
	struct erl_config *config = &site->config;
	int process = process_register(f);

	config->flags |= ERL_CONFIG_USES_SAVED;
	if (process >= 0 && s->functions->wants_process) {
		parse(context, &site->save[0], "8@process.id(%%a%d)", process);
		parse(context, &site->save[SAVED_PROCESS], "8@%%a%d", process);
		parse(context, &config->args[0].operand, "8@%%s0");
		config->args[0].form = ERL_FORM_TERM;
	}
	if (s->functions->mode != FUNCTIONS_SHOW || !f->has_prototype)
		return;
	if (f->prototype.value.kind > C_TYPE_SKIP)
		parse_value(context, &f->prototype.value, "%ret", &config->args[1]);
	if (f->bif && process == 0 && f->prototype.value.kind == C_TYPE_TERM)
		set_exception(context, config);
}

/* Refusals. */

static const char *why_not(const struct search *s, const struct found *f)
{
	bool is_certain;
	const char *why = s->at_return ? function_no_return(f->symbol->name, &is_certain) : NULL;

	if (!instruction_can_be_probed(s->vm->image, f->symbol->address))
		return "the kernel cannot probe its first instruction";
	if (why && (is_certain || !s->request->allow_denied))
		return why;
	if (!fnmatch("*.cold*", f->symbol->name, 0))
		return "it is a part of another function, which jumps to it";
	if (s->functions->needs_process && process_register(f) < 0)
		return "the calling process is unknown; NAME(process,...) names the argument that has it";
	return NULL;
}

static int report_refusals(const struct search *s)
{
	for (size_t i = 0; i < s->refusal_count; i++) {
		const struct refusal *refusal = &s->refusals[i];
		char text[sizeof(((struct missing *)0)->why)];
		bool is_all = refusal->count == s->count;
		int err;

		snprintf(text, sizeof(text), "%s: %s", refusal->names, refusal->why);
		/* Reported once, with the probe that exists in every mode: returns with --show. */
		if (!is_all && s->at_return == (s->functions->mode != FUNCTIONS_COUNT))
			pr_warn("%s%zu of %zu functions are skipped: %s",
				s->functions->mode == FUNCTIONS_SHOW ? "returns of " : "", refusal->count, s->count,
				text);
		err = site_list_add_missing(s->list, s->probe, is_all, text);
		if (err)
			return err;
	}
	return 0;
}

/* Is the probe on an instruction that is single-stepped? */
static bool is_stepped(const struct search *s, const struct site *site, const struct image_symbol *symbol)
{
	unsigned char code[INSTRUCTION_LONGEST];
	size_t size = instruction_read_code(s->vm->image, symbol->address + site->place, code);

	return instruction_is_stepped(image_arch(s->vm->image), code, size);
}

/* Warns once, for the probe that exists in every mode. */
static void warn_stepped(const struct search *s)
{
	if (s->stepped_count && s->at_return == (s->functions->mode == FUNCTIONS_TIME))
		pr_warn("calls of %zu of %zu functions cost about 20 us instead of 1, because the kernel has "
			"to single-step the instructions at their entry: %s",
			s->stepped_count, s->count, s->stepped);
}

/* The search. */

static int add_site(struct search *s, const struct found *f)
{
	struct operand_context context = source_operands(s->vm);
	struct site site = {
		.probe = s->probe,
		.source = f->symbol->is_matched ? SOURCE_MATCHED : SOURCE_SYMBOL,
		.offset = f->offset,
		.at_return = s->at_return,
		.function = function_number(f->symbol->name),
	};

	if (f->bif)
		function_set_bif(site.function, f->bif->mfa);
	if (s->at_return)
		config_of_return(s, &context, f, &site);
	else
		config_of_entry(s, &context, f, &site.config);
	source_set_layouts(s->request, s->vm, &site.config);
	place_at_entry(s->vm->image, f->symbol->address, f->symbol->size, &site);
	if (is_stepped(s, &site, f->symbol))
		add_name(s->stepped, sizeof(s->stepped), s->stepped_count++, f->symbol->name);
	return site_list_add(s->list, &site);
}

static int add_sites(struct search *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->count; i++) {
		const char *why = why_not(s, &s->found[i]);

		if (why)
			refuse(s, s->found[i].symbol->name, why);
		else
			err = add_site(s, &s->found[i]);
	}
	if (!err)
		warn_stepped(s);
	return err ? err : report_refusals(s);
}

static int too_many(const struct search *s)
{
	char text[sizeof(((struct missing *)0)->why)];

	snprintf(text, sizeof(text),
		 "%zu functions match, and more than %d at a time can slow a node "
		 "down a lot: name fewer functions, or use --unsafe",
		 s->count, FUNCTION_SITES_MAX);
	return site_list_add_missing(s->list, s->probe, true, text);
}

/* A suggestion for a name that matches no function, or NULL. */
static const char *nearest_to(const struct search *s, const char *wanted)
{
	const struct image_symbol *symbols;
	struct text_near near;
	const char *nearest = NULL;
	size_t count;

	symbols = image_symbols(s->vm->image, &count);
	text_near_begin(&near, wanted, strlen(wanted) / 3);
	for (size_t i = 0; i < count; i++) {
		if (symbols[i].is_function && text_near_try(&near, symbols[i].name))
			nearest = symbols[i].name;
	}
	for (size_t i = 0; s->bifs && i < s->bifs->count; i++) {
		if (text_near_try(&near, s->bifs->bifs[i].mfa))
			nearest = s->bifs->bifs[i].mfa;
	}
	return nearest;
}

static int none_found(const struct search *s)
{
	char text[sizeof(((struct missing *)0)->why)];
	const char *glob = s->functions->spec.glob, *meant = nearest_to(s, glob);

	snprintf(text, sizeof(text),
		 "no function of this VM is named %s%s%.100s%s; a stripped VM has the names of "
		 "exported ones only",
		 glob, meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
	return site_list_add_missing(s->list, s->probe, true, text);
}

int function_sites(const struct vm *vm, const struct site_request *request, uint32_t probe, struct site_list *list)
{
	struct search s = {
		.vm = vm,
		.request = request,
		.functions = request->functions,
		.bifs = request->target ? bifs_of(request->target) : vm->bifs,
		.probe = probe,
		.list = list,
		.at_return = probe == (uint32_t)probe_find("vm", "uprobe-return"),
	};
	int err;

	if (s.functions->mode == (s.at_return ? FUNCTIONS_COUNT : FUNCTIONS_TIME))
		return 0;
	err = find(&s);
	if (!err)
		err = !s.count						       ? none_found(&s)
		      : s.count > FUNCTION_SITES_MAX && !request->allow_denied ? too_many(&s)
									       : add_sites(&s);
	free(s.found);
	return err;
}
