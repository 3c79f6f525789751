/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lowering: from the checked tree of a clause to IR. Integers are words of 64 bits, see d/lang/fold.h; strings are
 * places that hold a padded string. Temporaries and string slots belong to a statement: all are free again when the
 * next one begins.
 */
#ifndef ERLBPF_D_LOWER_LOWER_H
#define ERLBPF_D_LOWER_LOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/names.h"
#include "d/lang/ir.h"
#include "d/lang/program.h"
#include "d/lang/unit.h"

/* Where everything lies in the frame, and in the globals: as much as any clause needs. */
struct layout {
	size_t room;	       /* of a string */
	size_t temps, strings; /* how many */
	size_t this_size, key_size, value_size, record_size, tokens_size, scratch_size;
	size_t zeros; /* bytes of zeros at the beginning of the globals: a fresh aggregation */
	size_t globals_size;
	size_t start[AREAS]; /* of each area in the frame; set by layout_place() */
	size_t work;	     /* the library's memory: the last part of the frame */
	size_t frame_size;
};

struct constant {
	const char *text;
	size_t length;
	size_t offset; /* in the globals */
	struct constant *next;
};

struct constants {
	struct constant *first;
	struct names by_text;
};

struct lower {
	struct unit *unit;
	struct arena *arena;
	struct layout *layout;
	struct constants *constants;
	struct ir_list *code;
	struct unit_clause *clause;
	struct action *action; /* the next one */
	unsigned int action_number;
	enum d_hook hook;
	size_t temps, strings;
	size_t kept_strings; /* slots that pointers of the clause may lead to */
	bool in_error;	     /* the clauses of ERROR: what goes wrong there is told, and no more */
	int fault;	     /* label */
	int end;	     /* of the clause */
	bool may_exit;	     /* a clause so far has called exit() */
	bool errors_exit;    /* a clause of ERROR calls it */
	bool reads_stack;    /* which is read in another way in each sort of program */
	int way_out;	     /* label: where clauses so far go when it did; 0: none does */
	unsigned int args;   /* that were read, a bit for each */
};

/* The clauses of one program. Adds to the layout. False: unit->diag says why. */
bool lower_program(struct lower *lower, struct unit_clause *const *clauses, size_t count);

/* What the function is called that the clauses of ERROR are, for programs of that hook. */
const char *lower_errors_name(const struct unit *unit, enum d_hook hook);

/* Sizes of keys and records, offsets of variables: once per unit, before anything is lowered. */
void lower_prepare(struct unit *unit, struct layout *layout);

/* The areas of the frame, when all is lowered. */
void layout_place(struct layout *layout);

/* --- For those who lower expressions: lower_*.c --- */

struct ir *lower_add(struct lower *lower, enum ir_op op);
struct place lower_temp(struct lower *lower);
struct place lower_slot(struct lower *lower);
struct place lower_slots(struct lower *lower, size_t size); /* as many as hold that, one behind the other */
int lower_label(struct lower *lower);
void lower_here(struct lower *lower, int label);
void lower_goto(struct lower *lower, int label);
void lower_if(struct lower *lower, struct place a, enum node_op how, struct place b, bool is_signed, int label);
void lower_move(struct lower *lower, struct place to, struct place from);
struct place lower_extend(struct lower *lower, struct place word, struct type *type);
struct place lower_cast(struct lower *lower, struct place word, struct type *from, struct type *to);
struct place lower_compute(struct lower *lower, enum node_op how, struct place a, struct place b, bool is_signed);
void lower_copy(struct lower *lower, struct place to, struct place from, size_t size);

/* Call a BPF function with up to four arguments; its value is in a temporary. */
struct place lower_call(struct lower *lower, const char *name, const struct place *args, unsigned int count);

/* The argument of functions that read the kernel's stack: how many of its frames are our own. */
struct place lower_own_frames(struct lower *lower);

/* The function that reads the stack of the process, by `what` it is called elsewhere: each sort of program has its own.
 */
const char *lower_stack_function(struct lower *lower, const char *what);

/* What is lowered next is one more action for ERROR, as illumos counts: each statement, argument of printf(), key. */
void lower_count_action(struct lower *lower);

/* A head word of struct d_frame. */
#define LOWER_HEAD(field) place_at(AREA_HEAD, (uint32_t)offsetof(struct d_frame, field))

struct place lower_word(struct lower *lower, struct node *node);       /* CONST or TEMP */
struct place lower_string(struct lower *lower, struct node *node);     /* where a string is */
struct place lower_in_frame(struct lower *lower, struct place string); /* the same, for library functions */
/* Its text in the record, and where it is in the record's field; false: it is to be made elsewhere. */
bool lower_string_in_record(struct lower *lower, struct node *node, struct place field);
void lower_effect(struct lower *lower, struct node *node); /* for what it does */
void lower_branch(struct lower *lower, struct node *node, int if_false);

/* NULL: null.c. */
bool lower_knows_null(const struct lower *lower);
bool lower_may_be_null(const struct lower *lower, const struct node *node);
struct place lower_is_null(struct lower *lower, const struct node *node, struct place string);	/* a word: 1 or 0 */
struct place lower_not_null(struct lower *lower, const struct node *node, struct place string); /* or a fault */
void lower_set_null(struct lower *lower, struct place string);					/* one that is empty */
struct place lower_null(struct lower *lower);

struct place lower_constant(struct lower *lower, const char *text, size_t length);
struct place lower_builtin(struct lower *lower, struct node *node);
struct place lower_call_node(struct lower *lower, struct node *node);

size_t lower_field_size(const struct field *field); /* of its fixed part in a record */

/* Is what does not fit into a speculation lost as a whole, while the clause goes on? So it is in Oracle's DTrace. */
bool lower_speculates_records(const struct lower *lower);
/* What a speculation needs for a record of the clause, in bytes: as there, strings have their full size. */
size_t lower_speculated_size(const struct lower *lower);

/* The components of a key, evaluated. */
struct lower_key {
	struct place *parts;
	struct type **types;
	size_t count;
	bool has_thread;
};

size_t lower_type_size(const struct layout *layout, struct type *type); /* in keys and variables */
bool lower_key_is_text(struct type *type);
size_t lower_key_size(const struct layout *layout, const struct type_key *keys, bool has_thread);
/* Bytes of a key from an address, with zeros up to the next word. */
void lower_key_bytes(struct lower *lower, struct place to, struct place address, size_t size);

/* A place that can be assigned to. */
struct lvalue {
	enum { LVALUE_PLACE, LVALUE_INDEXED, LVALUE_ELEMENT, LVALUE_POINTER } kind;
	struct place place;
	struct place index;
	uint32_t scale, limit; /* of an indexed one, or an element that is: bytes, number of elements */
	struct symbol *symbol; /* of an element */
	struct lower_key key;
	struct place address;
	bool is_scratch;	/* it is in memory of alloca() */
	bool is_part;		/* of an array or a struct: a string has no word of its own */
	uint32_t offset;	/* in the element, or from the address */
	unsigned int bits, bit; /* of a bit-field; bits 0: none */
	struct type *type;
};

bool lower_lvalue(struct lower *lower, struct node *node, struct lvalue *lvalue);
struct place lvalue_load(struct lower *lower, const struct lvalue *lvalue);
void lvalue_store(struct lower *lower, const struct lvalue *lvalue, struct place word);
struct place lvalue_string(struct lower *lower, const struct lvalue *lvalue);
void lvalue_store_string(struct lower *lower, const struct lvalue *lvalue, struct place string);
/* The whole value of an element, to AREA_VALUE and back. */
/* To an LVALUE_INDEXED, from an address. */
void lvalue_copy_at(struct lower *lower, const struct lvalue *lvalue, struct place address, uint32_t size);
bool lvalue_is_element(const struct lvalue *lvalue);		      /* all of one */
void lvalue_delete(struct lower *lower, const struct lvalue *lvalue); /* an element */
void lvalue_load_value(struct lower *lower, const struct lvalue *lvalue);
void lvalue_store_value(struct lower *lower, const struct lvalue *lvalue);
struct place lvalue_address(struct lower *lower, const struct lvalue *lvalue);

void lower_aggregation(struct lower *lower, struct node *node);
void lower_action(struct lower *lower, struct node *node);
void lower_unsupported(struct lower *lower, const struct node *node, const char *what);

#endif
