// SPDX-License-Identifier: BSD-2-Clause
/*
 * Expressions: C's grammar, plus D's words (stringof, xlate, "^^", "@a[...]", "self->x"). Precedence climbing for
 * binary operators; the checker determines their meaning.
 */
#include <string.h>

#include "base/arena.h"
#include "d/syntax/parse_internal.h"

static struct node *parse_unary(struct parser *parser);
static struct node *parse_assignment(struct parser *parser);
static struct node *parse_comma(struct parser *parser);

/* At the last token. */
static struct node *parse_node(struct parser *parser, enum node_kind kind)
{
	struct node *node = arena_alloc(parser->arena, sizeof(*node));

	node->kind = kind;
	node->file = parser->file;
	node->line = parser->line;
	return node;
}

static struct node *node_unary(struct parser *parser, enum node_op op, struct node *a)
{
	struct node *node = parse_node(parser, NODE_UNARY);

	node->op = op;
	node->a = a;
	return node;
}

/* --- Constants --- */

/*
 * The first type that can hold it, as in C: decimal literals only have signed types; L demands at least long, U an
 * unsigned type.
 */
static struct type *int_type(struct parser *parser, const struct token *token)
{
	static const struct {
		const char *name;
		uint64_t most;
		unsigned int longs;
		bool is_unsigned;
	} types[] = {
		{ "int", INT32_MAX, 0, false },	      { "unsigned int", UINT32_MAX, 0, true },
		{ "long", INT64_MAX, 1, false },      { "unsigned long", UINT64_MAX, 1, true },
		{ "long long", INT64_MAX, 2, false }, { "unsigned long long", UINT64_MAX, 2, true },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (types[i].longs < token->longs || token->value > types[i].most)
			continue;
		if (types[i].is_unsigned ? token->is_decimal && !token->is_unsigned : token->is_unsigned)
			continue;
		return type_named(parser->types, types[i].name);
	}
	return NULL;
}

static struct node *parse_int(struct parser *parser)
{
	struct token token = parser->token;
	struct node *node;

	node = parse_node(parser, NODE_INT);
	node->type = node->named = int_type(parser, &token);
	if (!node->type) {
		parse_error(parser, "D_INT_OFLOW", "integer constant \"%.*s\": no type can hold it",
			    (int)(token.size < 40 ? token.size : 40), token.start);
		node->type = node->named = type_int(parser->types, 8, true);
	}
	node->value = token.is_negative ? -token.value : token.value;
	parse_next(parser);
	node->file = parser->file;
	node->line = parser->line;
	return node;
}

static struct node *parse_string(struct parser *parser)
{
	const char *text = parser->token.text;
	size_t length = parser->token.length;
	struct node *node;

	parse_next(parser);
	node = parse_node(parser, NODE_STRING);
	node->text = text;
	node->length = length;
	return node;
}

/* --- Names --- */

/* "mod`name" and "`name" are kernel symbols. */
static struct node *parse_ident(struct parser *parser)
{
	const char *name = parse_name(parser, "a name");
	struct node *node = parse_node(parser, NODE_IDENT);

	node->name = name;
	node->scope = strchr(name, '`') ? SCOPE_KERNEL : SCOPE_GLOBAL;
	return node;
}

/* After "." and "->" every word is a name, even a keyword. */
static const char *parse_member_name(struct parser *parser)
{
	parse_peek(parser);
	if (!parser->is_broken && lex_is_keyword(&parser->token)) {
		const char *name = parser->token.text;

		parse_next(parser);
		return name;
	}
	return parse_name(parser, "the name of a member");
}

/* "self" "->" name, "this" "->" name */
static struct node *parse_scoped(struct parser *parser, enum scope scope)
{
	struct node *node;

	parse_next(parser);
	parse_expect(parser, TOKEN_ARROW, "\"->\" and the name of a variable");
	node = parse_node(parser, NODE_IDENT);
	node->name = parse_member_name(parser);
	node->scope = scope;
	return node;
}

/* arguments: [ assignment { "," assignment } ], up to the closing token */
static struct node *parse_arguments(struct parser *parser, int closing, const char *what)
{
	struct node *first = NULL, **end = &first;

	if (parse_take(parser, closing))
		return NULL;
	do {
		*end = parse_assignment(parser);
		end = &(*end)->next;
	} while (parse_take(parser, ','));
	parse_expect(parser, closing, what);
	return first;
}

/* subscript: "[" assignment { "," assignment } "]", after the first assignment */
static struct node *parse_subscript(struct parser *parser)
{
	struct node *args = NULL;

	if (parse_peek(parser) == ']')
		parse_expected(parser, "an array index");
	else
		args = parse_arguments(parser, ']', "\"]\"");
	return args;
}

/* "@" name [ subscript ] */
static struct node *parse_agg(struct parser *parser)
{
	const char *name = parser->token.text;
	struct node *node;

	parse_next(parser);
	node = parse_node(parser, NODE_AGG);
	node->name = name;
	if (parse_take(parser, '['))
		node->args = parse_subscript(parser);
	if (parse_peek(parser) == '[')
		parse_error(parser, "D_AGG_MDIM",
			    "aggregation \"@%s\": all its keys must be in one pair of brackets; write [a, b]", name);
	return node;
}

/* --- Primary and postfix --- */

/* offsetof: "offsetof" "(" type "," name ")" */
static struct node *parse_offsetof(struct parser *parser)
{
	struct node *node;

	parse_next(parser);
	node = parse_node(parser, NODE_OFFSETOF);
	parse_expect(parser, '(', "\"(\"");
	node->named = parse_type_name(parser);
	parse_expect(parser, ',', "\",\"");
	node->name = parse_member_name(parser);
	parse_expect(parser, ')', "\")\"");
	return node;
}

/* xlate: "xlate" "<" type ">" "(" expression ")" */
static struct node *parse_xlate(struct parser *parser)
{
	struct node *node;

	parse_next(parser);
	node = parse_node(parser, NODE_XLATE);
	parse_expect(parser, '<', "\"<\"");
	node->named = parse_type_name(parser);
	parse_expect(parser, '>', "\">\"");
	parse_expect(parser, '(', "\"(\"");
	node->a = parse_comma(parser);
	parse_expect(parser, ')', "\")\"");
	return node;
}

/* "__alignof__" "(" type ")": used by kernel headers. */
static struct node *parse_alignof(struct parser *parser)
{
	struct node *node;

	parse_next(parser);
	parse_expect(parser, '(', "\"(\"");
	node = parse_node(parser, NODE_INT);
	node->value = parse_type_name(parser)->align;
	node->type = node->named = type_int(parser->types, 8, false);
	parse_expect(parser, ')', "\")\"");
	return node;
}

static bool at_alignof(const struct parser *parser)
{
	return parser->file && !strcmp(parser->token.text, "__alignof__");
}

/* "return" "(": an action like any other. */
static struct node *parse_return(struct parser *parser)
{
	struct node *node = parse_node(parser, NODE_IDENT);

	node->name = parser->token.text;
	parse_next(parser);
	if (parse_peek(parser) != '(')
		parse_expected(parser, "\"(\"");
	return node;
}

/* primary: INT | STRING | name | "self" "->" name | "this" "->" name | agg | offsetof | xlate */
static struct node *parse_primary(struct parser *parser)
{
	switch (parse_peek(parser)) {
	case TOKEN_INT: return parse_int(parser);
	case TOKEN_STRING: return parse_string(parser);
	case TOKEN_IDENT: return at_alignof(parser) ? parse_alignof(parser) : parse_ident(parser);
	case KEYWORD_RETURN: return parse_return(parser);
	case TOKEN_AGG: return parse_agg(parser);
	case KEYWORD_SELF: return parse_scoped(parser, SCOPE_SELF);
	case KEYWORD_THIS: return parse_scoped(parser, SCOPE_THIS);
	case KEYWORD_OFFSETOF: return parse_offsetof(parser);
	case KEYWORD_XLATE: return parse_xlate(parser);
	default: parse_expected(parser, "an expression"); return parse_node(parser, NODE_INT);
	}
}

static struct node *parse_call(struct parser *parser, struct node *callee)
{
	struct node *node;

	if (callee->kind != NODE_IDENT || callee->scope != SCOPE_GLOBAL || callee->has_parentheses) {
		parse_error(parser, "D_FUNC_IDENT", "invalid call: only a function can be called, by its name");
		return callee;
	}
	node = parse_node(parser, NODE_CALL);
	node->name = callee->name;
	node->file = callee->file;
	node->line = callee->line;
	parse_next(parser);
	node->args = parse_arguments(parser, ')', "\",\" or \")\"");
	return node;
}

static struct node *parse_index(struct parser *parser, struct node *array)
{
	struct node *node;

	parse_next(parser);
	node = parse_node(parser, NODE_INDEX);
	node->a = array;
	node->args = parse_subscript(parser);
	return node;
}

static struct node *parse_member(struct parser *parser, struct node *of)
{
	struct node *node;
	bool is_arrow = parse_peek(parser) == TOKEN_ARROW;

	parse_next(parser);
	node = parse_node(parser, NODE_MEMBER);
	node->a = of;
	node->is_arrow = is_arrow;
	node->name = parse_member_name(parser);
	return node;
}

static struct node *parse_step(struct parser *parser, struct node *of, bool is_prefix)
{
	struct node *node;
	enum node_op op = parse_peek(parser) == TOKEN_ADD_ADD ? OP_ADD : OP_SUB;

	parse_next(parser);
	node = parse_node(parser, NODE_STEP);
	node->op = op;
	node->is_prefix = is_prefix;
	node->a = is_prefix ? parse_unary(parser) : of;
	return node;
}

/* postfix: primary { "(" arguments ")" | subscript | "." name | "->" name | "++" | "--" } */
static struct node *parse_postfix(struct parser *parser, struct node *node)
{
	for (;;) {
		switch (parse_peek(parser)) {
		case '(': node = parse_call(parser, node); break;
		case '[': node = parse_index(parser, node); break;
		case '.':
		case TOKEN_ARROW: node = parse_member(parser, node); break;
		case TOKEN_ADD_ADD:
		case TOKEN_SUB_SUB: node = parse_step(parser, node, false); break;
		default: return node;
		}
	}
}

/* --- Unary --- */

/* "(" type ")" unary | "(" expression ")" and its postfix operators */
static struct node *parse_parenthesis(struct parser *parser)
{
	struct node *node;

	parse_next(parser);
	if (parse_at_cast(parser)) {
		node = parse_node(parser, NODE_CAST);
		node->named = parse_type_name(parser);
		parse_expect(parser, ')', "\")\"");
		node->a = parse_unary(parser);
		return node;
	}
	node = parse_comma(parser);
	parse_expect(parser, ')', "\")\"");
	node->has_parentheses = true;
	return parse_postfix(parser, node);
}

/* sizeof: "sizeof" "(" type ")" | "sizeof" unary */
static struct node *parse_sizeof(struct parser *parser)
{
	struct node *node;

	parse_next(parser);
	node = parse_node(parser, NODE_SIZEOF);
	if (parse_peek(parser) != '(') {
		node->a = parse_unary(parser);
		return node;
	}
	parse_next(parser);
	if (parse_at_type(parser)) {
		node->named = parse_type_name(parser);
		parse_expect(parser, ')', "\")\"");
		return node;
	}
	node->a = parse_comma(parser);
	parse_expect(parser, ')', "\")\"");
	node->a->has_parentheses = true;
	node->a = parse_postfix(parser, node->a);
	return node;
}

static enum node_op unary_op(int kind)
{
	switch (kind) {
	case '-': return OP_NEG;
	case '+': return OP_PLUS;
	case '~': return OP_NOT;
	case '!': return OP_LNOT;
	case '*': return OP_DEREF;
	case '&': return OP_ADDR;
	default: return OP_NONE;
	}
}

static struct node *parse_operand(struct parser *parser)
{
	struct node *node;
	enum node_op op = unary_op(parse_peek(parser));

	if (op) {
		parse_next(parser);
		node = node_unary(parser, op, NULL);
		node->a = parse_unary(parser);
		return node;
	}
	switch (parse_peek(parser)) {
	case TOKEN_ADD_ADD:
	case TOKEN_SUB_SUB: return parse_step(parser, NULL, true);
	case KEYWORD_SIZEOF: return parse_sizeof(parser);
	case KEYWORD_STRINGOF:
		parse_next(parser);
		node = parse_node(parser, NODE_STRINGOF);
		node->a = parse_unary(parser);
		return node;
	case '(': return parse_parenthesis(parser);
	default: return parse_postfix(parser, parse_primary(parser));
	}
}

/* unary: ( "-" | "+" | "~" | "!" | "*" | "&" | "++" | "--" | "stringof" ) unary | sizeof | cast | postfix */
static struct node *parse_unary(struct parser *parser)
{
	struct node *node;

	node = parse_enter(parser) ? parse_operand(parser) : parse_node(parser, NODE_INT);
	parse_leave(parser);
	return node;
}

/* --- Binary --- */

struct binary {
	enum node_op op;
	int precedence; /* 0: not a binary operator */
};

/* Of a token. */
static struct binary binary_of(int kind)
{
	switch (kind) {
	case TOKEN_OR_OR: return (struct binary){ OP_LOR, 1 };
	case TOKEN_XOR_XOR: return (struct binary){ OP_LXOR, 2 };
	case TOKEN_AND_AND: return (struct binary){ OP_LAND, 3 };
	case '|': return (struct binary){ OP_OR, 4 };
	case '^': return (struct binary){ OP_XOR, 5 };
	case '&': return (struct binary){ OP_AND, 6 };
	case TOKEN_EQ: return (struct binary){ OP_EQ, 7 };
	case TOKEN_NE: return (struct binary){ OP_NE, 7 };
	case '<': return (struct binary){ OP_LT, 8 };
	case '>': return (struct binary){ OP_GT, 8 };
	case TOKEN_LE: return (struct binary){ OP_LE, 8 };
	case TOKEN_GE: return (struct binary){ OP_GE, 8 };
	case TOKEN_SHL: return (struct binary){ OP_SHL, 9 };
	case TOKEN_SHR: return (struct binary){ OP_SHR, 9 };
	case '+': return (struct binary){ OP_ADD, 10 };
	case '-': return (struct binary){ OP_SUB, 10 };
	case '*': return (struct binary){ OP_MUL, 11 };
	case '/': return (struct binary){ OP_DIV, 11 };
	case '%': return (struct binary){ OP_MOD, 11 };
	default: return (struct binary){ OP_NONE, 0 };
	}
}

/* --- Long chains --- */

#define CHAIN_FEW 32   /* operators whose tree keeps its shape */
#define CHAIN_LONG 192 /* the same for arithmetic */

/* The operators that can be regrouped together with this one. OP_NONE: none. */
static enum node_op chain_of(enum node_op op)
{
	switch (op) {
	case OP_SUB: return OP_ADD;
	case OP_ADD:
	case OP_MUL:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_LOR:
	case OP_LAND:
	case OP_COMMA: return op;
	default: return OP_NONE;
	}
}

static bool is_logical(enum node_op chain)
{
	return chain == OP_LOR || chain == OP_LAND || chain == OP_COMMA;
}

static bool is_chain(const struct node *node, enum node_op chain)
{
	return node->kind == NODE_BINARY && chain_of(node->op) == chain && !node->has_parentheses;
}

/* "a - b - c + d" is "a - (b + c - d)". */
static void turn_signs(struct node **operators, size_t count)
{
	for (size_t i = 0; i < count; i++)
		operators[i]->op = operators[i]->op == OP_ADD ? OP_SUB : OP_ADD;
}

/* Operators in their order. The first one has its operand in `a`, and each has its right operand. */
static struct node *balance(struct node **operators, struct node **operands, size_t count)
{
	size_t middle = count / 2;
	struct node *node = operators[middle];

	if (!count)
		return operands[0];
	if (node->op == OP_SUB)
		turn_signs(operators + middle + 1, count - middle - 1);
	node->a = balance(operators, operands, middle);
	node->b = balance(operators + middle + 1, operands + middle + 1, count - middle - 1);
	return node;
}

/*
 * "a || b || c || ..." parses as (((a || b) || c) ...), as deep as it is long. A long chain of associative operators is
 * made as flat as possible at its end, when another operator follows. 64-bit sums are associative and have the largest
 * type among them. Subtracting a pointer is not, but no program has such long chains of it.
 */
static struct node *balanced(struct parser *parser, struct node *node, enum node_op next)
{
	enum node_op chain = chain_of(node->op);
	struct node **operators, **operands, *of;
	size_t count = 0, i;

	if (!chain || chain == chain_of(next))
		return node;
	for (of = node; is_chain(of, chain); of = of->a)
		count++;
	if (count <= (is_logical(chain) ? CHAIN_FEW : CHAIN_LONG))
		return node;
	operators = arena_alloc(parser->arena, (2 * count + 1) * sizeof(struct node *));
	operands = operators + count;
	for (i = count, of = node; i; of = of->a) {
		operators[--i] = of;
		operands[i + 1] = of->b;
	}
	operands[0] = of;
	return balance(operators, operands, count);
}

/* An operator that waits for its right operand, because the next operator binds more tightly. */
struct pending {
	struct node *node;
	int precedence;
};

#define PRECEDENCES 11

/*
 * binary: unary { operator unary }. Waiting operators are a list instead of a recursion: each pair of parentheses can
 * have one for each precedence.
 */
static struct node *parse_binary(struct parser *parser)
{
	struct pending pending[PRECEDENCES];
	size_t count = 0;

	for (;;) {
		struct node *node = parse_unary(parser);
		struct binary binary = binary_of(parse_peek(parser));

		while (count && pending[count - 1].precedence >= binary.precedence) {
			pending[--count].node->b = node;
			node = balanced(parser, pending[count].node, binary.op);
		}
		if (!binary.precedence)
			return node;
		parse_next(parser);
		pending[count].node = parse_node(parser, NODE_BINARY);
		pending[count].node->op = binary.op;
		pending[count].node->a = node;
		pending[count++].precedence = binary.precedence;
	}
}

/* conditional: binary [ "?" expression ":" conditional ] */
struct node *parse_conditional(struct parser *parser)
{
	struct node *condition = parse_binary(parser), *node;

	if (!parse_take(parser, '?'))
		return condition;
	node = parse_node(parser, NODE_COND);
	node->a = condition;
	node->b = node->c = parse_node(parser, NODE_INT);
	if (parse_enter(parser)) {
		node->b = parse_comma(parser);
		parse_expect(parser, ':', "\":\"");
		node->c = parse_conditional(parser);
	}
	parse_leave(parser);
	return node;
}

static bool assignment_of(int kind, enum node_op *op)
{
	static const enum node_op ops[] = {
		OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR,
	};

	*op = OP_NONE;
	if (kind == '=')
		return true;
	if (kind < TOKEN_ADD_SET || kind > TOKEN_SHR_SET)
		return false;
	*op = ops[kind - TOKEN_ADD_SET];
	return true;
}

/* As in C, the left side is a unary expression: "a + b = c" and "a ? b : c = d" are syntax errors. */
static bool may_be_assigned(const struct node *node)
{
	return node->has_parentheses ||
	       (node->kind != NODE_BINARY && node->kind != NODE_COND && node->kind != NODE_CAST);
}

/* assignment: conditional | unary ( "=" | "+=" | ... ) assignment */
static struct node *parse_assignment(struct parser *parser)
{
	struct node *left = parse_conditional(parser), *node;
	enum node_op op;

	if (!assignment_of(parse_peek(parser), &op))
		return left;
	if (!may_be_assigned(left)) {
		parse_expected(parser, "an expression that can be assigned to");
		return left;
	}
	parse_next(parser);
	node = parse_node(parser, NODE_ASSIGN);
	node->op = op;
	node->a = left;
	if (parse_enter(parser))
		node->b = parse_assignment(parser);
	else
		node->b = parse_node(parser, NODE_INT);
	parse_leave(parser);
	return node;
}

/* --- Whole expressions --- */

/* A node to visit, and its depth. */
struct visit {
	const struct node *node;
	unsigned int depth;
	struct visit *next;
};

static void visit_push(struct parser *parser, struct visit **todo, struct visit **spare, const struct node *node,
		       unsigned int depth)
{
	struct visit *visit = *spare;

	if (!node)
		return;
	if (visit)
		*spare = visit->next;
	else
		visit = arena_alloc(parser->arena, sizeof(*visit));
	*visit = (struct visit){ .node = node, .depth = depth, .next = *todo };
	*todo = visit;
}

/* "a+a+a+..." is read without recursion, but its tree is as deep as it is long. */
static bool is_too_high(struct parser *parser, const struct node *root)
{
	struct visit *todo = NULL, *spare = NULL;

	visit_push(parser, &todo, &spare, root, 1);
	while (todo) {
		struct visit visit = *todo, *done = todo;

		todo = done->next;
		done->next = spare;
		spare = done;
		if (visit.depth > NESTING_MOST)
			return true;
		visit_push(parser, &todo, &spare, visit.node->a, visit.depth + 1);
		visit_push(parser, &todo, &spare, visit.node->b, visit.depth + 1);
		visit_push(parser, &todo, &spare, visit.node->c, visit.depth + 1);
		for (const struct node *arg = visit.node->args; arg; arg = arg->next)
			visit_push(parser, &todo, &spare, arg, visit.depth + 1);
	}
	return false;
}

/* comma: assignment { "," assignment } */
static struct node *parse_comma(struct parser *parser)
{
	struct node *left = parse_assignment(parser);
	bool has_commas = false;

	while (parse_take(parser, ',')) {
		struct node *node = parse_node(parser, NODE_BINARY);

		node->op = OP_COMMA;
		node->a = left;
		node->b = parse_assignment(parser);
		left = node;
		has_commas = true;
	}
	return has_commas ? balanced(parser, left, OP_NONE) : left;
}

static struct node *check_height(struct parser *parser, struct node *node)
{
	if (is_too_high(parser, node))
		parse_error(parser, "D_SYNTAX", "expression nests too deeply");
	return node;
}

struct node *parse_expression(struct parser *parser)
{
	return check_height(parser, parse_comma(parser));
}

struct node *parse_value(struct parser *parser)
{
	return check_height(parser, parse_assignment(parser));
}

/* --- Constants that types need --- */

bool parse_constant(struct parser *parser, const struct node *node, struct folded *result)
{
	return !parser->is_broken && !is_too_high(parser, node) &&
	       fold_node(parser->types, parser->program, node, result);
}

bool parse_count(struct parser *parser, const struct node *node, uint64_t *count)
{
	struct folded folded;

	if (!parse_constant(parser, node, &folded) || (type_real(folded.type)->is_signed && (int64_t)folded.value < 0))
		return false;
	*count = folded.value;
	return true;
}
