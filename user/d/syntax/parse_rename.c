// SPDX-License-Identifier: BSD-2-Clause

#include <string.h>

#include "d/syntax/parse_internal.h"

struct rename {
	struct parser *parser;
	const struct clause *clause;
	const char *variable, *text;
};

struct node *parse_text_at(struct parser *parser, const char *text, const struct clause *clause)
{
	struct parser inner = {
		.arena = parser->arena,
		.types = parser->types,
		.diag = parser->diag,
		.input = parser->input,
		.program = parser->program,
		.world = LEX_EXPRESSION,
		.lexer = parser->lexer,
	};
	struct node *expression;

	lex_start(&inner.lexer, text, strlen(text));
	inner.lexer.in_predicate = false;
	inner.lexer.file = clause->file;
	inner.lexer.line = clause->line;
	expression = parse_expression(&inner);
	return inner.is_broken ? NULL : expression;
}

static void rename_in(const struct rename *r, struct node *node);

/* The node keeps its position in its list. */
static void replace(const struct rename *r, struct node *node)
{
	struct node *meant = parse_text_at(r->parser, r->text, r->clause), *next = node->next;

	if (!meant)
		return;
	*node = *meant;
	node->next = next;
	node->has_parentheses = true;
}

static void rename_all(const struct rename *r, struct node *nodes)
{
	for (struct node *node = nodes; node; node = node->next)
		rename_in(r, node);
}

static void rename_in(const struct rename *r, struct node *node)
{
	if (!node)
		return;
	if (node->kind == NODE_IDENT && node->scope == SCOPE_GLOBAL && !strcmp(node->name, r->variable)) {
		replace(r, node);
		return;
	}
	rename_in(r, node->a);
	rename_in(r, node->b);
	rename_in(r, node->c);
	rename_all(r, node->args);
}

static void rename_in_statements(const struct rename *r, struct statement *statements)
{
	for (struct statement *s = statements; s; s = s->next) {
		rename_in(r, s->expression);
		rename_in_statements(r, s->then);
		rename_in_statements(r, s->otherwise);
	}
}

void parse_rename(struct parser *parser, struct clause *clause, const char *variable, const char *text)
{
	const struct rename r = { .parser = parser, .clause = clause, .variable = variable, .text = text };

	rename_in(&r, clause->predicate);
	rename_in_statements(&r, clause->body);
}
