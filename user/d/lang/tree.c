// SPDX-License-Identifier: BSD-2-Clause
#include "d/lang/ast.h"

#include <ctype.h>
#include <inttypes.h>

#include "d/lang/symbol.h"

struct print {
	FILE *to;
	struct type_table *types;
};

static void print_node(const struct print *p, const struct node *node, int depth);

static void print_indent(const struct print *p, int depth)
{
	fprintf(p->to, "%*s", depth * 2, "");
}

static void print_type(const struct print *p, struct type *type)
{
	if (type)
		fprintf(p->to, " (type=<%s>)", type_text(p->types, type));
	fputc('\n', p->to);
}

/* A type in an expression is a node of its own in DTrace's tree. */
static void print_named(const struct print *p, struct type *type, int depth)
{
	print_indent(p, depth);
	fputs("TYPE", p->to);
	print_type(p, type);
}

static void print_name(const struct print *p, const char *name, int depth)
{
	print_indent(p, depth);
	fprintf(p->to, "IDENT %s\n", name);
}

static void print_list(const struct print *p, const struct node *arg, int depth)
{
	for (; arg; arg = arg->next) {
		print_node(p, arg, depth + 1);
		if (arg->next)
			fprintf(p->to, "%*s,\n", depth * 2, "");
	}
}

static void print_string(const struct print *p, const struct node *node)
{
	fputs("STRING \"", p->to);
	for (size_t i = 0; i < node->length; i++) {
		unsigned char c = (unsigned char)node->text[i];

		if (c == '"' || c == '\\')
			fprintf(p->to, "\\%c", c);
		else
			fprintf(p->to, isprint(c) ? "%c" : "\\%03o", c);
	}
	fputc('"', p->to);
	print_type(p, node->type);
}

static void print_ident(const struct print *p, const struct node *node)
{
	static const char *const scopes[] = { "", "self->", "this->", "`" };
	const char *kind = node->scope == SCOPE_KERNEL ? "SYMBOL" : node->symbol || node->scope ? "VARIABLE" : "IDENT";

	fprintf(p->to, "%s %s%s", kind, scopes[node->scope], node->name);
	print_type(p, node->type);
}

static void print_agg(const struct print *p, const struct node *node, int depth)
{
	fprintf(p->to, "AGGREGATE @%s [\n", node->name);
	print_list(p, node->args, depth);
	print_indent(p, depth);
	fputs("]\n", p->to);
}

/* Each with a child where DTrace's tree has one. */
static void print_operator(const struct print *p, const struct node *node, int count, const char *sign)
{
	fprintf(p->to, "OP%d %s", count, sign);
	print_type(p, node->type);
}

static void print_assign(const struct print *p, const struct node *node, int depth)
{
	fprintf(p->to, "OP2 %s%s", op_text(node->op), node->op == OP_NONE ? "" : "=");
	print_type(p, node->type);
	print_node(p, node->a, depth + 1);
	print_node(p, node->b, depth + 1);
}

static void print_condition(const struct print *p, const struct node *node, int depth)
{
	fputs("OP3", p->to);
	print_type(p, node->type);
	print_node(p, node->a, depth + 1);
	fprintf(p->to, "%*s?\n", depth * 2, "");
	print_node(p, node->b, depth + 1);
	fprintf(p->to, "%*s:\n", depth * 2, "");
	print_node(p, node->c, depth + 1);
}

/* Nodes with a type, a name or both as operands. */
static void print_of_type(const struct print *p, const struct node *node, int depth)
{
	switch (node->kind) {
	case NODE_CAST: print_operator(p, node, 2, "()"); break;
	case NODE_SIZEOF: print_operator(p, node, 1, "sizeof"); break;
	case NODE_OFFSETOF: print_operator(p, node, 2, "offsetof"); break;
	default: print_operator(p, node, 2, "xlate"); break;
	}
	if (node->named)
		print_named(p, node->named, depth + 1);
	if (node->a)
		print_node(p, node->a, depth + 1);
	if (node->kind == NODE_OFFSETOF)
		print_name(p, node->name, depth + 1);
}

static void print_operation(const struct print *p, const struct node *node, int depth)
{
	switch (node->kind) {
	case NODE_UNARY: print_operator(p, node, 1, op_text(node->op)); break;
	case NODE_STEP: print_operator(p, node, 1, node->op == OP_ADD ? "++" : "--"); break;
	case NODE_STRINGOF: print_operator(p, node, 1, "stringof"); break;
	case NODE_INDEX: print_operator(p, node, 2, "[]"); break;
	case NODE_MEMBER: print_operator(p, node, 2, node->is_arrow ? "->" : "."); break;
	default: print_operator(p, node, 2, op_text(node->op)); break;
	}
	print_node(p, node->a, depth + 1);
	if (node->b)
		print_node(p, node->b, depth + 1);
	print_list(p, node->args, depth);
	if (node->kind == NODE_MEMBER)
		print_name(p, node->name, depth + 1);
}

static void print_node(const struct print *p, const struct node *node, int depth)
{
	print_indent(p, depth);
	switch (node->kind) {
	case NODE_INT:
		fprintf(p->to, "INT 0x%" PRIx64, node->value);
		print_type(p, node->type);
		break;
	case NODE_STRING: print_string(p, node); break;
	case NODE_IDENT: print_ident(p, node); break;
	case NODE_AGG: print_agg(p, node, depth); break;
	case NODE_CALL:
		fprintf(p->to, "FUNC %s", node->name);
		print_type(p, node->type);
		print_list(p, node->args, depth);
		break;
	case NODE_ASSIGN: print_assign(p, node, depth); break;
	case NODE_COND: print_condition(p, node, depth); break;
	case NODE_CAST:
	case NODE_SIZEOF:
	case NODE_OFFSETOF:
	case NODE_XLATE: print_of_type(p, node, depth); break;
	default: print_operation(p, node, depth); break;
	}
}

static void print_statements(const struct print *p, const struct statement *statement, int depth)
{
	for (; statement; statement = statement->next) {
		if (statement->kind == STATEMENT_BLOCK) {
			print_statements(p, statement->then, depth);
			continue;
		}
		print_indent(p, depth);
		fputs(statement->kind == STATEMENT_IF ? "IF\n" : "D EXPRESSION\n", p->to);
		print_node(p, statement->expression, depth + 1);
		if (statement->kind != STATEMENT_IF)
			continue;
		fprintf(p->to, "%*sTHEN\n", depth * 2, "");
		print_statements(p, statement->then, depth + 1);
		if (statement->otherwise)
			fprintf(p->to, "%*sELSE\n", depth * 2, "");
		print_statements(p, statement->otherwise, depth + 1);
	}
}

static void print_clause(const struct print *p, const struct clause *clause)
{
	fputs("  CLAUSE\n", p->to);
	for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next)
		fprintf(p->to, "    PDESC %s:%s:%s:%s [%" PRIu64 "]\n", spec->provider, spec->module, spec->function,
			spec->name, spec->id);
	if (clause->predicate) {
		fputs("  PREDICATE /\n", p->to);
		print_node(p, clause->predicate, 2);
		fputs("  /\n", p->to);
	}
	fputs("  ACTION\n", p->to);
	print_statements(p, clause->body, 2);
}

void tree_print(FILE *to, struct type_table *types, const struct clause *clauses)
{
	struct print p = { to, types };

	for (; clauses; clauses = clauses->next)
		print_clause(&p, clauses);
}
