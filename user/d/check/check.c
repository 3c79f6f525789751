// SPDX-License-Identifier: BSD-2-Clause
/*
 * Walks a unit: declarations and clauses in program order, because a name refers to what was declared or assigned
 * before. Results go into the tree and the unit.
 */
#include "d/check/check.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "d/check/checker.h"

void check_error(struct checker *checker, const struct node *node, const char *tag, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	diag_error(&checker->unit->diag, node->file, node->line, tag, "%s", text);
}

bool check_constant(const struct node *node, int64_t *value)
{
	if (node->kind != NODE_INT)
		return false;
	*value = (int64_t)node->value;
	return true;
}

static bool check_statement_expression(struct checker *checker, struct node *node)
{
	if (!check_expression(checker, node))
		return false;
	if (node->kind == NODE_AGG) {
		check_error(checker, node, "D_AGG_NULL", "expression \"@%s\": it has no effect", node->name);
		return false;
	}
	if (node_is_aggregating(node)) {
		check_error(checker, node, "D_CG_EXPR",
			    "%s() has no effect: it is the value of an aggregation, as in @ = %s()", node->name,
			    node->name);
		return false;
	}
	if (node->kind == NODE_ASSIGN && node->a->kind == NODE_AGG)
		return check_order(checker, node);
	if (node_is_dynamic(node)) {
		check_error(checker, node, "D_CG_DYN", "expression cannot evaluate to result of dynamic type");
		return false;
	}
	return !node_is_action(node) || check_action(checker, node);
}

static bool check_statements(struct checker *checker, struct statement *statements);

static bool check_if(struct checker *checker, struct statement *statement)
{
	bool was_conditional = checker->is_conditional, ok = check_expression(checker, statement->expression);

	if (ok && !node_is_scalar(statement->expression)) {
		check_error(checker, statement->expression, "D_OP_SCALAR",
			    "operator if requires an operand of scalar type");
		ok = false;
	}
	checker->is_conditional = true;
	ok = check_statements(checker, statement->then) && ok;
	ok = check_statements(checker, statement->otherwise) && ok;
	checker->is_conditional = was_conditional;
	return ok;
}

static bool check_statement(struct checker *checker, struct statement *statement)
{
	bool ok = false;

	if (checker->depth >= CHECK_DEPTH) {
		diag_error(&checker->unit->diag, statement->file, statement->line, "D_SYNTAX",
			   "statement nests too deeply");
		return false;
	}
	checker->depth++;
	switch (statement->kind) {
	case STATEMENT_EXPRESSION:
		ok = !statement->expression || check_statement_expression(checker, statement->expression);
		break;
	case STATEMENT_IF: ok = check_if(checker, statement); break;
	case STATEMENT_BLOCK: ok = check_statements(checker, statement->then); break;
	}
	checker->depth--;
	return ok;
}

static bool check_statements(struct checker *checker, struct statement *statements)
{
	bool ok = true;

	for (struct statement *statement = statements; statement; statement = statement->next)
		ok = check_statement(checker, statement) && ok;
	return ok;
}

static bool check_predicate(struct checker *checker, struct node *predicate)
{
	if (!predicate)
		return true;
	if (!check_expression(checker, predicate))
		return false;
	if (node_is_scalar(predicate))
		return true;
	check_error(checker, predicate, "D_PRED_SCALAR", "predicate result must be of scalar type");
	return false;
}

/* If the predicate creates variables, it is checked first; otherwise it can use those that the body creates. */
static bool makes_names(const struct node *node, unsigned int depth)
{
	if (!node || depth > CHECK_DEPTH)
		return false;
	if (node->kind == NODE_ASSIGN || node->kind == NODE_STEP)
		return true;
	for (const struct node *arg = node->args; arg; arg = arg->next)
		if (makes_names(arg, depth + 1))
			return true;
	return makes_names(node->a, depth + 1) || makes_names(node->b, depth + 1) || makes_names(node->c, depth + 1);
}

static bool fits(const char *pattern, const char *text)
{
	return !pattern || !pattern[0] || fnmatch(pattern, text, 0) == 0;
}

static bool names_error_probe(const struct probe_spec *specs)
{
	for (const struct probe_spec *spec = specs; spec; spec = spec->next)
		if (fits(spec->provider, "dtrace") && fits(spec->module, "") && fits(spec->function, "") &&
		    fits(spec->name, "ERROR"))
			return true;
	return false;
}

/* A clause that records nothing prints its probe. */
static void add_default_action(struct checker *checker)
{
	struct action *action = arena_alloc(checker->unit->arena, sizeof(*action));

	action->kind = ACTION_DEFAULT;
	action->name = "";
	action->condition = -1;
	action->line = checker->clause->clause->line;
	checker->clause->actions = action;
}

static bool is_only_speculate(const struct clause *clause, const struct unit_clause *checked)
{
	return checked->is_speculative && !clause->body->next && clause->body->kind == STATEMENT_EXPRESSION;
}

static bool check_one_clause(struct checker *checker, struct clause *clause)
{
	struct unit_clause *checked = arena_alloc(checker->unit->arena, sizeof(*checked));
	bool is_predicate_first = makes_names(clause->predicate, 0), ok = true;

	checked->clause = clause;
	checked->stability = STABILITY_DEFAULT;
	*checker->clauses_end = checked;
	checker->clauses_end = &checked->next;
	checker->clause = checked;
	checker->actions_end = &checked->actions;
	checker->has_commit = checker->has_data = checker->has_agg = false;

	if (!check_probe_stability(checker, clause))
		ok = false;
	if (is_predicate_first)
		ok = check_predicate(checker, clause->predicate) && ok;
	ok = check_statements(checker, clause->body) && ok;
	if (!is_predicate_first)
		ok = check_predicate(checker, clause->predicate) && ok;
	if (!clause->body || (!checked->actions && is_only_speculate(clause, checked)))
		add_default_action(checker);
	checker->unit->has_errors_clause |= names_error_probe(clause->specs);
	checker->clause = NULL;
	return ok;
}

/* Declarations before a clause; NULL: those after the last clause. */
static bool check_declarations(struct checker *checker, struct declaration **next, const struct clause *before)
{
	bool ok = true;

	for (; *next && (*next)->before == before; *next = (*next)->next)
		ok = check_declaration(checker, *next) && ok;
	return ok;
}

bool check(struct unit *unit)
{
	struct checker *checker = arena_alloc(unit->arena, sizeof(*checker));
	struct declaration *next = unit->program.declarations;
	bool ok = true;

	*checker = (struct checker){
		.unit = unit,
		.variables_end = &unit->variables,
		.arrays_end = &unit->arrays,
		.aggregations_end = &unit->aggregations,
		.clauses_end = &unit->clauses,
		.aggs_end = &unit->aggs,
	};
	for (struct clause *clause = unit->program.clauses; clause; clause = clause->next) {
		ok = check_declarations(checker, &next, clause) && ok;
		ok = check_one_clause(checker, clause) && ok;
	}
	for (; next; next = next->next)
		ok = check_declaration(checker, next) && ok;
	for (struct d_translator *translator = unit->program.translators; translator; translator = translator->next)
		ok = (translator->is_prelude || check_translator(checker, translator)) && ok;
	ok = check_pragmas(checker) && ok;
	return ok && unit->diag.errors == 0;
}

bool check_helper(struct unit *unit, struct clause *clause)
{
	struct checker *checker = arena_alloc(unit->arena, sizeof(*checker));

	*checker = (struct checker){ .unit = unit, .clauses_end = &unit->clauses };
	while (*checker->clauses_end)
		checker->clauses_end = &(*checker->clauses_end)->next;
	return check_one_clause(checker, clause);
}
