// SPDX-License-Identifier: BSD-2-Clause
/* Names of processes and functions as text. */
#include <stdio.h>
#include <string.h>

#include "node/atoms/atoms.h"
#include "node/code/code.h"
#include "node/memory/erlid.h"
#include "node/names/naming_parts.h"

/* Applies the style. */
static void spell(const struct naming *names, char *text)
{
	if (names->style.is_elixir)
		spelling_elixir(text);
}

const char *naming_registered(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	atoms_format(names->atoms, name->registered, text, NAME_SIZE);
	spell(names, text);
	return text;
}

static bool format_call(struct naming *names, uint32_t module, uint32_t function, uint32_t arity, char text[NAME_SIZE])
{
	char m[NAME_SIZE / 2 - 8], f[NAME_SIZE / 2 - 8];

	text[0] = '\0';
	if (!atoms_format(names->atoms, module, m, sizeof(m)) || !atoms_format(names->atoms, function, f, sizeof(f)))
		return false;
	snprintf(text, NAME_SIZE, "%s:%s/%u", m, f, arity);
	spell(names, text);
	return true;
}

const char *naming_initial_call(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	format_call(names, name->initial.module, name->initial.function, name->initial.arity, text);
	return text;
}

const char *naming_call(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	const struct name_call *call = &name->on_stack;

	if (call->module == ATOM_NONE || !format_call(names, call->module, call->function, call->arity, text))
		naming_initial_call(names, name, text);
	return text;
}

static bool function_mfa(const struct naming *names, uint64_t address, uint64_t mfa[3])
{
	return !names->is_over && !code_function_at(names->target, address, mfa, NULL);
}

static bool format_function_at(struct naming *names, uint64_t address, char text[NAME_SIZE])
{
	uint64_t mfa[3];

	return function_mfa(names, address, mfa) &&
	       format_call(names, atom_of_term(mfa[0]), atom_of_term(mfa[1]), (uint32_t)mfa[2], text);
}

uint64_t naming_function_of(const struct naming *names, uint64_t id)
{
	uint64_t mfa[3];

	return erl_id_kind(id) == ERL_ID_CODE && function_mfa(names, erl_id_value(id), mfa)
		       ? erl_id_of_mfa(mfa[0], mfa[1], mfa[2])
		       : 0;
}

void naming_fetch(struct naming *names, const uint32_t *atoms, size_t count)
{
	atoms_fetch(names->atoms, atoms, count);
}

bool naming_of_id(struct naming *names, uint64_t id, char text[NAME_SIZE])
{
	const uint64_t value = erl_id_value(id), mask = (1ULL << ERL_ID_ATOM_BITS) - 1;

	if (erl_id_kind(id) == ERL_ID_CODE)
		return format_function_at(names, value, text);
	if (erl_id_kind(id) == ERL_ID_ATOM) {
		if (!atoms_format(names->atoms, (uint32_t)value, text, NAME_SIZE))
			return false;
		spell(names, text);
		return true;
	}
	return erl_id_kind(id) == ERL_ID_MFA && format_call(names, (uint32_t)(value >> (ERL_ID_ATOM_BITS + 8)),
							    (uint32_t)(value >> 8 & mask), value & 0xff, text);
}

const char *naming_format(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	if (*naming_registered(names, name, text))
		return text;
	if (!name->label)
		return naming_call(names, name, text);
	snprintf(text, NAME_SIZE, "%s", name->label);
	spell(names, text);
	return text;
}

static void add_owner(struct naming *names, const char *word, uint32_t atom, char text[NAME_SIZE])
{
	size_t used = strlen(text);
	char name[NAME_SIZE];

	/* All processes are descendants of init. */
	if (atom == ATOM_NONE || !atoms_format(names->atoms, atom, name, sizeof(name)) || !strcmp(name, "init"))
		return;
	spell(names, name);
	snprintf(text + used, NAME_SIZE - used, " %s %s", word, name);
}

/* If no caller is registered, shows the nearest. */
static void add_caller(uint64_t id, char text[NAME_SIZE])
{
	size_t used = strlen(text);
	char pid[ERLID_SIZE];

	if (id)
		snprintf(text + used, NAME_SIZE - used, " for %s", erlid_format(id, pid));
}

const char *naming_describe(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	naming_format(names, name, text);
	if (!names->style.with_owner || name->registered != ATOM_NONE || name->label || !*text)
		return text;
	add_owner(names, "of", name->ancestor, text);
	if (name->caller == ATOM_NONE)
		add_caller(name->caller_id, text);
	else if (name->caller != name->ancestor)
		add_owner(names, "for", name->caller, text);
	return text;
}
