// SPDX-License-Identifier: BSD-2-Clause
/*
 * Providers that a program declares: "provider shop { probe order(int id) : (int id); };". Each probe has its native
 * arguments and, after the colon, those that tracers see, by the names of the parameters.
 */
#include <string.h>

#include "base/arena.h"
#include "d/types/type_build.h"
#include "d/syntax/parse_type.h"

#define PROVIDER_NAME_MOST 63
#define PROBE_NAME_MOST 63
#define PROBE_PARAMS_MOST 255

static const char *parse_its_name(struct parser *parser, const char *what, size_t most)
{
	const char *name = parse_name(parser, what);

	if (strchr(name, '`'))
		parse_error(parser, "D_PROV_BADNAME", "name \"%s\": it cannot have `", name);
	if (strlen(name) > most)
		parse_error(parser, "D_PROV_BADNAME", "name \"%s\": it has more than %zu characters", name, most);
	return name;
}

/* Without a translator, numbers become numbers, and pointers become pointers to the same type. */
static bool is_the_same(struct type *from, struct type *to)
{
	struct type *a = type_real(from), *b = type_real(to);

	if (type_is_int(a) && type_is_int(b))
		return true;
	if (a->kind != TYPE_POINTER || b->kind != TYPE_POINTER)
		return type_same(a, b);
	return type_same(a->base, b->base) || type_real(a->base)->kind == TYPE_VOID ||
	       type_real(b->base)->kind == TYPE_VOID;
}

static bool is_translated(const struct parser *parser, struct type *from, struct type *to)
{
	struct type *real = type_real(to);

	if (real->kind == TYPE_POINTER)
		real = type_real(real->base);
	for (const struct d_translator *t = parser->program->translators; t; t = t->next)
		if (type_same(type_real(t->to), real) && is_the_same(t->from, from))
			return true;
	return false;
}

static void check_output(struct parser *parser, const struct declaration *inputs, const struct declaration *output)
{
	const struct declaration *input = inputs;

	if (!output->name) {
		parse_error(parser, "D_DECL_PROTO_NAME", "a parameter after the colon needs a name");
		return;
	}
	while (input && (!input->name || strcmp(input->name, output->name) != 0))
		input = input->next;
	if (!input)
		parse_error(parser, "D_DECL_PROTO_FORM", "parameter \"%s\": it is not declared before the colon",
			    output->name);
	else if (!is_the_same(input->type, output->type) && !is_translated(parser, input->type, output->type))
		parse_error(parser, "D_PROV_PRXLATOR", "parameter \"%s\": no translator makes %s of %s", output->name,
			    type_text(parser->types, output->type), type_text(parser->types, input->type));
}

static void check_count(struct parser *parser, const struct declaration *params)
{
	size_t count = 0;

	for (; params; params = params->next)
		count++;
	if (count > PROBE_PARAMS_MOST)
		parse_error(parser, "D_PROV_PRARGLEN", "too many parameters: a probe can have %d", PROBE_PARAMS_MOST);
}

/* probe: "probe" name "(" params ")" [ ":" "(" params ")" ] ";" */
static struct declared_probe *parse_probe(struct parser *parser)
{
	struct declared_probe *probe = arena_alloc(parser->arena, sizeof(*probe));
	struct derivation inputs = { .kind = DERIVED_PROBE }, outputs = { .kind = DERIVED_OUTPUT };

	parse_expect(parser, KEYWORD_PROBE, "\"probe\"");
	probe->name = parse_its_name(parser, "the name of a probe", PROBE_NAME_MOST);
	parse_expect(parser, '(', "\"(\"");
	parse_params(parser, &inputs, ')', "\",\" or \")\"");
	probe->params = inputs.params;
	check_count(parser, inputs.params);
	if (parse_take(parser, ':')) {
		parse_expect(parser, '(', "\"(\"");
		parse_params(parser, &outputs, ')', "\",\" or \")\"");
		check_count(parser, outputs.params);
	}
	for (const struct declaration *output = outputs.params; output && !parser->is_broken; output = output->next)
		check_output(parser, inputs.params, output);
	parse_expect(parser, ';', "\";\"");
	return probe;
}

/* After a trailing digit, a pid would be ambiguous: "app1234". */
static void check_provider(struct parser *parser, const char *name)
{
	size_t length = strlen(name);

	if (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		parse_error(parser, "D_PROV_BADNAME", "provider \"%s\": its name cannot end with a digit", name);
	for (const struct declared_provider *other = parser->program->providers; other; other = other->next)
		if (strcmp(other->name, name) == 0)
			parse_error(parser, "D_PROV_INCOMPAT", "provider \"%s\": it is declared already", name);
}

static void add_probe(struct parser *parser, struct declared_provider *provider, struct declared_probe *probe)
{
	struct declared_probe **end = &provider->probes;

	for (; *end; end = &(*end)->next)
		if (strcmp((*end)->name, probe->name) == 0)
			parse_error(parser, "D_PROV_PRDUP", "probe \"%s\": it is declared already", probe->name);
	*end = probe;
}

/* provider: "provider" name "{" { probe } "}" ";" */
void parse_provider(struct parser *parser)
{
	struct declared_provider *provider = arena_alloc(parser->arena, sizeof(*provider));
	size_t count = 0;

	parse_next(parser);
	provider->name = parse_its_name(parser, "the name of a provider", PROVIDER_NAME_MOST);
	check_provider(parser, provider->name);
	parse_expect(parser, '{', "\"{\"");
	while (parse_peek(parser) != '}' && parse_peek(parser) != TOKEN_END) {
		add_probe(parser, provider, parse_probe(parser));
		if (++count > PARSE_PARAMS_MOST)
			parse_error(parser, "D_UNKNOWN", "too many probes: a provider can have %d", PARSE_PARAMS_MOST);
	}
	parse_expect(parser, '}', "\"}\"");
	parse_expect(parser, ';', "\";\"");
	if (parser->is_broken)
		return;
	provider->next = parser->program->providers;
	parser->program->providers = provider;
}
