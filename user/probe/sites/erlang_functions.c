// SPDX-License-Identifier: BSD-2-Clause
/*
 * BIFs, which the VM lists, and NIFs, which are in the code of their modules, can be measured. The JIT has no probes in
 * other Erlang code. Without the JIT, Erlang functions may have some, but the code is not found, so no pattern is
 * refused.
 */
#include "probe/sites/erlang_functions.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "node/atoms/atoms.h"
#include "node/atoms/spelling.h"
#include "node/code/bifs.h"
#include "node/code/code.h"

#define BATCH 64      /* names read at once */
#define ATOM_TEXT 256 /* shown of an atom */

/* State of the search. */
struct function_search {
	const char *pattern;
	char word[64];		    /* the pattern without its "*", for suggestions */
	bool is_prefix;		    /* the pattern ends with "*" */
	bool is_found;		    /* a measurable function matches */
	bool has_module;	    /* the named module is loaded */
	char other[BIF_MFA_SIZE];   /* matching Erlang code */
	char nearest[BIF_MFA_SIZE]; /* the nearest measurable function */
	char own[BIF_MFA_SIZE];	    /* the nearest function in the named module */
	struct text_near near, near_own;
};

static const char *skip_quotes(const char *text)
{
	while (*text == '\'')
		text++;
	return text;
}

bool erlang_function_matches(const char *pattern, const char *function)
{
	for (;;) {
		pattern = skip_quotes(pattern);
		function = skip_quotes(function);
		if (*pattern == '*')
			return true;
		if (*pattern != *function)
			return false;
		if (!*pattern)
			return true;
		pattern++;
		function++;
	}
}

/* Cuts a function's name to the part that the pattern has: a prefix, or the module. */
static void cut_to_pattern(const struct function_search *s, char *name)
{
	size_t length = strlen(s->word);
	char *colon = strchr(name, ':');

	if (!s->is_prefix)
		return;
	if (colon && length && s->word[length - 1] == ':')
		colon[1] = '\0';
	else if (strlen(name) > length)
		name[length] = '\0';
}

static void try_near(struct function_search *s, const char *function)
{
	char name[BIF_MFA_SIZE];

	snprintf(name, sizeof(name), "%s", function);
	cut_to_pattern(s, name);
	if (text_near_try(&s->near, name))
		snprintf(s->nearest, sizeof(s->nearest), "%.*s%s", BIF_MFA_SIZE - 2, name, s->is_prefix ? "*" : "");
}

static void take(struct function_search *s, const char *function, bool can_be_measured)
{
	bool matches = erlang_function_matches(s->pattern, function);

	if (matches && can_be_measured)
		s->is_found = true;
	else if (matches && !s->other[0])
		snprintf(s->other, sizeof(s->other), "%s", function);
	else if (can_be_measured)
		try_near(s, function);
}

/*
 * The length of the module in a name, up to the colon; a quoted atom may contain colons. Without a colon, the whole
 * length.
 */
static size_t module_length(const char *text)
{
	bool is_quoted = false;
	size_t i = 0;

	for (; text[i] && (text[i] != ':' || is_quoted); i++)
		is_quoted ^= text[i] == '\'';
	return i;
}

/* Compares a module of the node to the pattern's. If it is the named one, functions in it are suggested first. */
static void compare_module(struct function_search *s, const char *module, const char *function)
{
	size_t length = module_length(s->word);
	char named[sizeof(s->word)];

	if (!s->word[length])
		return;
	snprintf(named, sizeof(named), "%.*s", (int)length, s->word);
	if (!erlang_function_matches(named, module))
		return;
	s->has_module = true;
	if (!s->is_prefix && text_near_try(&s->near_own, function))
		snprintf(s->own, sizeof(s->own), "%s", function);
}

static void take_batch(struct function_search *s, struct atoms *atoms, const struct code_function *functions,
		       size_t count)
{
	uint32_t indices[2 * BATCH] = {};

	for (size_t i = 0; i < count; i++) {
		indices[2 * i] = functions[i].module;
		indices[2 * i + 1] = functions[i].name;
	}
	atoms_fetch(atoms, indices, 2 * count);
	for (size_t i = 0; i < count && !s->is_found; i++) {
		char module[ATOM_TEXT], name[ATOM_TEXT], function[BIF_MFA_SIZE];

		if (!atoms_format(atoms, functions[i].module, module, sizeof(module)) ||
		    !atoms_format(atoms, functions[i].name, name, sizeof(name)))
			continue;
		snprintf(function, sizeof(function), "%s:%s/%u", module, name, functions[i].arity);
		compare_module(s, module, function);
		take(s, function, functions[i].is_nif);
	}
}

/* False: the loaded code is unknown. */
static bool search_code(struct function_search *s, const struct target *target)
{
	struct atoms *atoms = atoms_new(target);
	struct code_list list = {};
	bool is_read = atoms && !code_list_read(target, &list) && list.count;

	for (size_t i = 0; is_read && i < list.count && !s->is_found; i += BATCH)
		take_batch(s, atoms, list.functions + i, list.count - i < BATCH ? list.count - i : BATCH);
	code_list_free(&list);
	atoms_free(atoms);
	return is_read;
}

/* As the user spells names. */
struct shown_search {
	char pattern[BIF_MFA_SIZE], other[BIF_MFA_SIZE], nearest[BIF_MFA_SIZE], own[BIF_MFA_SIZE], module[BIF_MFA_SIZE];
};

static void spell(const struct function_search *s, struct shown_search *shown)
{
	char module[sizeof(s->word)];

	snprintf(module, sizeof(module), "%.*s", (int)module_length(s->word), s->word);
	spelling_of_pattern(s->pattern, shown->pattern, sizeof(shown->pattern));
	spelling_of_pattern(s->other, shown->other, sizeof(shown->other));
	spelling_of_pattern(s->nearest, shown->nearest, sizeof(shown->nearest));
	spelling_of_pattern(s->own, shown->own, sizeof(shown->own));
	spelling_of_pattern(module, shown->module, sizeof(shown->module));
}

static void explain(const struct function_search *s, char *why)
{
	static const char code[] = "Erlang code of the JIT, which needs --via vm or --entry";
	bool names_module = s->word[module_length(s->word)];
	struct shown_search shown;

	spell(s, &shown);
	if (s->other[0] && s->is_prefix)
		snprintf(why, ERLANG_FUNCTIONS_WHY, "all that \"%.63s\" matches is %s", shown.pattern, code);
	else if (s->other[0])
		snprintf(why, ERLANG_FUNCTIONS_WHY, "%.300s is %s", shown.other, code);
	else if (s->nearest[0])
		snprintf(why, ERLANG_FUNCTIONS_WHY, "it has no BIF or NIF \"%.63s\" (did you mean \"%.300s\"?)",
			 shown.pattern, shown.nearest);
	else if (s->own[0])
		snprintf(why, ERLANG_FUNCTIONS_WHY, "it has no function \"%.63s\" (did you mean \"%.300s\"?)",
			 shown.pattern, shown.own);
	else if (s->has_module)
		snprintf(why, ERLANG_FUNCTIONS_WHY, "the module %.63s has no function \"%.63s\"", shown.module,
			 shown.pattern);
	else if (names_module)
		snprintf(why, ERLANG_FUNCTIONS_WHY, "it has no BIF or NIF \"%.63s\": the module %.63s is not loaded",
			 shown.pattern, shown.module);
	else
		snprintf(why, ERLANG_FUNCTIONS_WHY, "it has no BIF or NIF \"%.63s\"%s", shown.pattern,
			 s->is_prefix ? ", and no loaded code begins with this" : "");
}

/* False: a measurable function matches, or the loaded code is unknown. */
static bool finds_none(struct function_search *s, const struct target *target, const char *pattern)
{
	const struct bif_list *bifs = bifs_of(target);

	*s = (struct function_search){ .pattern = pattern, .is_prefix = strchr(pattern, '*') };
	if (!bifs || target->vm->flavor != FLAVOR_JIT)
		return false;
	snprintf(s->word, sizeof(s->word), "%.*s", (int)strcspn(pattern, "*"), pattern);
	text_near_begin(&s->near, s->word, strlen(s->word) / 3);
	text_near_begin(&s->near_own, s->word, strlen(s->word) / 3);
	for (size_t i = 0; i < bifs->count && !s->is_found; i++)
		take(s, bifs->bifs[i].mfa, true);
	return !s->is_found && search_code(s, target) && !s->is_found;
}

bool erlang_functions_are_none(const struct target *target, const char *pattern, char *why)
{
	struct function_search s;

	if (!finds_none(&s, target, pattern))
		return false;
	explain(&s, why);
	return true;
}

bool erlang_functions_are_code(const struct target *target, const char *pattern, char *why)
{
	struct function_search s;

	if (!strchr(pattern, ':') || !finds_none(&s, target, pattern) || !s.other[0])
		return false;
	explain(&s, why);
	return true;
}
