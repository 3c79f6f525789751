// SPDX-License-Identifier: BSD-2-Clause
/*
 * -x amin: a program can only use names with that stability. #pragma D attributes sets the stability of its own names.
 */
#include "d/check/checker.h"

#include <fnmatch.h>
#include <string.h>

#include "base/arena.h"
#include "d/lang/builtins.h"

static bool is_pragma_of(const struct pragma *pragma, const char *name)
{
	return strcmp(pragma->name, "attributes") == 0 && strcmp(pragma->value, name) == 0;
}

struct stability stability_of_symbol(struct checker *checker, const struct symbol *symbol)
{
	struct stability stability = STABILITY_DEFAULT;

	if (symbol->kind == SYMBOL_BUILTIN)
		return stability_of_name(symbol->name);
	if (symbol->scope != SCOPE_GLOBAL || symbol->kind == SYMBOL_AGGREGATION)
		return stability;
	for (const struct pragma *pragma = checker->unit->program.pragmas; pragma; pragma = pragma->next)
		if (is_pragma_of(pragma, symbol->name))
			stability_parse(pragma->key, &stability);
	return stability;
}

static bool is_enough(struct checker *checker, const struct node *node, const char *name, struct stability stability)
{
	if (!stability_is_less(stability, checker->unit->options.amin))
		return true;
	check_error(checker, node, "D_ATTR_MIN", "attributes for %s (%s/%s/%s) are less than predefined minimum", name,
		    stability_level_text(stability.names), stability_level_text(stability.data),
		    stability_class_text(stability.class));
	return false;
}

bool check_stability(struct checker *checker, const struct node *node, const char *name, struct stability stability)
{
	if (node->is_prelude)
		return true;
	if (checker->clause)
		checker->clause->stability = stability_least(checker->clause->stability, stability);
	return is_enough(checker, node, name, stability);
}

/* The provider of a description, or a name that only one provider has, determines what it can match. */
bool check_probe_stability(struct checker *checker, const struct clause *clause)
{
	struct node at = { .file = clause->file, .line = clause->line };
	bool ok = true;

	for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
		const char *provider = spec->provider;

		if (!provider || !*provider || strpbrk(provider, "*?["))
			provider = fnmatch("tick-*", spec->name, 0) == 0 || fnmatch("profile-*", spec->name, 0) == 0
					   ? "profile"
					   : "dtrace";
		ok = is_enough(checker, &at, spec->text, stability_of_provider(provider)) && ok;
	}
	return ok;
}

static bool is_defined(struct checker *checker, const char *name)
{
	const struct identifier *identifier = symbol_find(checker, SCOPE_GLOBAL, name);
	struct type *type;
	int64_t value;

	for (const struct declared_provider *provider = checker->unit->program.providers; provider;
	     provider = provider->next)
		if (strcmp(provider->name, name) == 0)
			return true;
	return (identifier && identifier->symbol->kind != SYMBOL_BUILTIN) ||
	       type_enumerator(checker->unit->types, name, &value, &type);
}

/* The checks, after all names are known. */
bool check_pragmas(struct checker *checker)
{
	bool ok = true;

	for (const struct pragma *pragma = checker->unit->program.pragmas; pragma; pragma = pragma->next) {
		struct node at = { .file = pragma->file, .line = pragma->line };

		if ((strcmp(pragma->name, "attributes") != 0 && strcmp(pragma->name, "binding") != 0) ||
		    is_defined(checker, pragma->value))
			continue;
		ok = false;
		if (d_builtin_find(pragma->value) || function_find(checker->unit->functions, pragma->value) ||
		    d_constant_find(pragma->value))
			check_error(checker, &at, "D_PRAGMA_SCOPE",
				    "#pragma %s cannot modify entity defined outside program scope", pragma->name);
		else
			check_error(checker, &at, "D_PRAGMA_UNUSED", "unused #pragma %s", pragma->name);
	}
	return ok;
}
