// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/search.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "node/memory/fields.h"
#include "probe/catalogue.h"

/* State while a row is read. Stops at the first wrong operand. */
struct row {
	const struct translator *t;
	struct operand_context context;
	bool knows_offsets; /* of the VM's structures */
	bool uses_saved;
	int err;
};

/* Reports an error in translators.def. The tests parse every row, so users never see it. */
static int bad_row(const struct translator *t, const char *text, const char *why)
{
	pr_err("translators.def: %s at %s: \"%s\": %s", t->probe, t->function, text, why);
	return -EINVAL;
}

static void parse(struct row *row, const char *text, struct erl_operand *op)
{
	const char *at = text, *why = NULL;

	if (!text || row->err)
		return;
	if (operand_parse(&row->context, &at, op, &why))
		row->err = bad_row(row->t, text, why);
	row->uses_saved |= op->base == ERL_BASE_SAVED;
}

static enum erl_form form_of_row(const struct translator *t, const struct probe_def *def, int arg)
{
	if (!t->args[arg])
		return ERL_FORM_NONE;
	if (t->mfa[arg])
		return ERL_FORM_MFA;
	if (t->text[arg])
		return ERL_FORM_TEXT;
	if (t->iodata[arg])
		return ERL_FORM_IODATA;
	return probe_arg_is_text(&def->args[arg]) || probe_arg_is_term(&def->args[arg]) ? ERL_FORM_TERM
											: ERL_FORM_NUMBER;
}

/* Does the operand read the identifier of a process or port from its structure? */
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

/* Sets the values that the entry saves for the return. */
static void set_saves(struct row *row, struct erl_operand save[ERL_SAVED_ARGS])
{
	static const char *const arguments[ERL_SAVED_ARGS] = { "8@%a0", "8@%a1", "8@%a2", "8@%a3" };
	const struct translator *t = row->t;

	for (int i = 0; t->at_return && i < ERL_SAVED_ARGS; i++)
		parse(row, t->save[i] ? t->save[i] : arguments[i], &save[i]);
}

static void set_args(struct row *row, const struct probe_def *def, struct erl_config *config)
{
	const struct translator *t = row->t;

	for (int i = 0; i < def->argc; i++) {
		struct erl_arg *arg = &config->args[i];

		parse(row, t->args[i], &arg->operand);
		arg->form = form_of_row(t, def, i);
		arg->text_size = arg->form == ERL_FORM_TEXT || arg->form == ERL_FORM_IODATA ? ERL_TEXT : 0;
		if (arg->form == ERL_FORM_TERM && is_local_id(t, i))
			config->local_ids |= 1ULL << i;
		if (t->word[i])
			memcpy(&config->words[i], t->word[i], strnlen(t->word[i], sizeof(config->words[i])));
	}
	if (t->own_node)
		config->args[0].form = ERL_FORM_OWN_NODE;
	for (int i = def->argc; i < ERL_ARG_TERM; i++) {
		parse(row, t->args[i], &config->args[i].operand);
		config->args[i].form = t->args[i] ? ERL_FORM_TERM : ERL_FORM_NONE;
	}
}

static void set_extra(struct row *row, const char *text, enum erl_form form, struct erl_arg *arg)
{
	if (!text)
		return;
	parse(row, text, &arg->operand);
	arg->form = form;
}

static void set_extras(struct row *row, struct erl_config *config)
{
	const struct translator *t = row->t;

	set_extra(row, t->term, ERL_FORM_TERM, &config->args[ERL_ARG_TERM]);
	/* Some releases have unknown offsets; tools then work without these values. */
	if (!row->knows_offsets)
		return;
	set_extra(row, t->details, ERL_FORM_NUMBER, &config->args[ERL_ARG_DETAILS]);
	set_extra(row, t->state, ERL_FORM_NUMBER, &config->args[ERL_ARG_STATE]);
}

static void set_guards(struct row *row, struct erl_config *config)
{
	const struct guard_row *guards = row->t->guards;

	for (int i = 0; i < ERL_MAX_GUARDS && guards[i].left; i++) {
		struct erl_guard *guard = &config->guards[i];

		parse(row, guards[i].left, &guard->left);
		parse(row, guards[i].right, &guard->right);
		guard->mask = guards[i].mask;
		guard->compare = guards[i].compare;
		config->flags |= ERL_CONFIG_HAS_GUARDS;
	}
}

int translator_make_site(const struct site_search *search, const struct translator *t, uint32_t probe,
			 struct site *site)
{
	const struct vm *vm = search->vm;
	struct erl_config *config = &site->config;
	struct row row = { .t = t, .context = source_operands(vm), .uses_saved = t->timed };
	int64_t offset;

	*site = (struct site){
		.probe = probe,
		.at_return = t->at_return,
		.translator = t,
	};
	row.knows_offsets = !field_offset(vm, "process.state", &offset);
	set_args(&row, probe_def(probe), config);
	set_extras(&row, config);
	set_guards(&row, config);
	config->flags |= ERL_CONFIG_EMPTY_TEXT | t->adds;
	if (t->numbered) {
		config->flags |= ERL_CONFIG_NUMBERED;
		config->first_probe = (uint64_t)probe_def(probe)->id;
	}
	if (row.uses_saved)
		config->flags |= ERL_CONFIG_USES_SAVED;
	if (t->copied_by && row.knows_offsets && image_symbol(vm->image, t->copied_by))
		config->flags |= ERL_CONFIG_IS_COPIED;
	set_saves(&row, site->save);
	source_set_layouts(search->request, vm, config);
	return row.err;
}
