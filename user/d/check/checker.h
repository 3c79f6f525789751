/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the checker. A function that checks a node returns false after it has reported an error. Nodes that
 * depend on a wrong node are skipped, so one mistake causes one message.
 */
#ifndef ERLBPF_D_CHECK_CHECKER_H
#define ERLBPF_D_CHECK_CHECKER_H

#include "base/names.h"
#include "d/check/check.h"
#include "d/lang/function.h"
#include "d/lang/unit.h"

#define CHECK_DEPTH (2 * NESTING_MOST) /* of an expression, with inlines expanded, in nested statements */
#define CHECK_EXPANDED 200000	       /* nodes that inlines and translators add: they can double at each level */
#define CHECK_CONDITIONS 64	       /* actions of a clause under an if: a bit each in d_record.ran */

/* A name and its symbol. The symbol of a name whose first use was wrong has no type. */
struct identifier {
	struct symbol *symbol;
	bool is_wrong;
};

/* The value of an inline's parameter, or of a translator's input, during expansion. */
struct substitute {
	const char *name;
	struct type *type;
	struct node *value; /* checked; NULL: only its type is known */
	struct substitute *next;
};

struct checker {
	struct unit *unit;
	struct unit_clause *clause;		     /* NULL: checking a declaration */
	struct names globals, aggs;		     /* struct identifier; locals have their scope as kind */
	unsigned int counts[SYMBOL_AGGREGATION + 1]; /* symbols of each kind */
	struct symbol **variables_end, **arrays_end, **aggregations_end;
	struct unit_clause **clauses_end;
	struct unit_agg **aggs_end;
	struct action **actions_end;
	struct substitute *bindings;
	unsigned int depth, maps;
	size_t expanded;
	bool is_conditional; /* under an if */
	/* What the clause did so far: some actions cannot follow others. */
	bool has_commit, has_data, has_agg;
};

/* By kind of node. */
bool check_expression(struct checker *checker, struct node *node);
bool check_height(struct checker *checker, struct node *node); /* with checked operands */
bool check_list(struct checker *checker, struct node *nodes);
bool check_bounds(struct checker *checker, const struct node *array, const struct node *index);
bool check_assign(struct checker *checker, struct node *node);
bool check_step(struct checker *checker, struct node *node);
bool check_call(struct checker *checker, struct node *node);
bool check_index(struct checker *checker, struct node *node);
bool check_operand(struct checker *checker, struct node *node); /* of a unary operator */
bool check_member(struct checker *checker, struct node *node);
bool check_identifier(struct checker *checker, struct node *node);
bool check_kernel_symbol(struct checker *checker, struct node *node);		  /* `name: becomes *(type *)address */
bool check_kernel_address(struct checker *checker, struct node *node);		  /* &`name: becomes (type *)address */
int check_argument_count(struct checker *checker, const struct probe_spec *spec); /* -1: unknown */
bool check_probe_argument(struct checker *checker, struct node *node, int64_t number); /* args[number] */

/* True if a confined program can use it in this clause; otherwise reports an error. */
bool check_rights_to_call(struct checker *checker, const struct node *call);
bool check_rights_to_read(struct checker *checker, const struct node *node, const struct symbol *builtin);

/* Symbols. The first assignment creates the symbol of an unknown name, with type NULL until then. */
struct identifier *symbol_find(struct checker *checker, enum scope scope, const char *name);
struct identifier *symbol_add(struct checker *checker, const struct node *node, enum symbol_kind kind);
struct identifier *symbol_builtin(struct checker *checker, const struct node *node); /* NULL: unknown name */
bool symbol_is_taken(struct checker *checker,
		     const struct node *node); /* assignment to something that is not a variable */
bool symbol_is_parameter(struct checker *checker, const struct node *node);
bool symbol_claim(struct checker *checker, struct node *node, struct identifier **identifier);
bool check_declaration(struct checker *checker, struct declaration *declaration);
const char *symbol_kind_text(const struct symbol *symbol);
struct type_key *key_types(struct checker *checker, struct node *args);
bool check_keys(struct checker *checker, struct node *node, struct type_key *keys, const char *what, struct node *args);

/* Checks the required stability, see -x amin. */
struct stability stability_of_symbol(struct checker *checker, const struct symbol *symbol);
bool check_stability(struct checker *checker, const struct node *node, const char *name, struct stability stability);
bool check_probe_stability(struct checker *checker, const struct clause *clause);
bool check_pragmas(struct checker *checker);

/* Inlines and translators. */
bool expand_inline(struct checker *checker, struct node *node, struct symbol *symbol, struct node *args);
bool expand_translated(struct checker *checker, struct node *node);
bool check_translator(struct checker *checker, struct d_translator *translator);
bool check_xlate(struct checker *checker, struct node *node);
const struct d_translator *translator_of(struct checker *checker, const struct node *xlate);
struct node *node_clone(struct checker *checker, const struct node *node);

/* Statements: aggregations and actions. */
bool check_aggregation(struct checker *checker, struct node *node); /* @x[...], without its function */
bool check_aggregate(struct checker *checker, struct node *node);
bool check_action(struct checker *checker, struct node *call);
struct field *field_new(struct checker *checker, struct node *node);
bool check_order(struct checker *checker, struct node *call);

/* Constants. */
void node_set_int(struct node *node, uint64_t value, struct type *type);
void node_fold(struct checker *checker, struct node *node); /* of a unary or binary operator, or a cast */

/* Kinds of nodes. A dynamic node has no value: an aggregation, or an array without its index. */
bool node_is_dynamic(const struct node *node);
bool node_is_int(const struct node *node);
bool node_is_scalar(const struct node *node);
bool node_is_pointer(const struct node *node); /* or a C array */
bool node_is_string(const struct node *node);
bool node_is_void(const struct node *node);
bool node_is_action(const struct node *node);
bool node_is_writable(const struct node *node);
bool node_is_aggregating(const struct node *node); /* a call such as count() */
bool node_is_mixed(const struct node *node); /* memory of alloca() on one side of a colon, other memory on the other */
bool node_is_bit_field(const struct node *node);
struct type *type_element(struct type *type); /* of a pointer or array; NULL: neither */
/* True if two types can be compared, or joined by ?:, as pointers; *common is the more specific one. */
bool node_pointers_fit(struct checker *checker, const struct node *a, const struct node *b, struct type **type);
/* True if a value can be assigned to a parameter, a key or a variable of that type. */
bool type_takes(struct checker *checker, struct type *type, const struct node *node);
/* True for a struct without known members, also in the kernel's types. */
bool type_lacks_members(struct checker *checker, struct type *type);
const char *node_type_text(struct checker *checker, const struct node *node);

#endif
