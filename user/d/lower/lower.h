/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lowering: from the checked tree of a clause to IR. Integers are 64-bit words, see d/lang/fold.h; strings are places
 * that hold a padded string. Temporaries and string slots are free again at the next statement.
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

/* The layout of the frame and of the globals: maxima over all clauses. */
struct layout {
	size_t room;	       /* bytes of a string */
	size_t temps, strings; /* number */
	size_t this_size, key_size, value_size, record_size, tokens_size, scratch_size;
	size_t zeros; /* bytes of zeros at the start of the globals: a new aggregation */
	size_t globals_size;
	size_t start[AREAS]; /* of each area in the frame; set by layout_place() */
	size_t work;	     /* offset of the library's memory, the last part of the frame */
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
	size_t kept_strings; /* slots that pointers of the clause can point to */
	bool in_error;	     /* in a clause of ERROR: faults are counted only */
	int fault;	     /* label */
	int end;	     /* label: end of the clause */
	bool may_exit;	     /* an earlier clause calls exit() */
	bool errors_exit;    /* a clause of ERROR calls exit() */
	bool reads_stack;    /* depends on the kind of program */
	int exit_label;	     /* label: target of earlier clauses after exit(); 0: none */
	unsigned int args;   /* arguments read, one bit each */
};

/* Lowers the clauses of one program, and grows the layout. False: the reason is in unit->diag. */
bool lower_program(struct lower *lower, struct unit_clause *const *clauses, size_t count);

/* The name of the function with the clauses of ERROR, for programs with that hook. */
const char *lower_errors_name(const struct unit *unit, enum d_hook hook);

/* Sizes of keys and records, and offsets of variables: once per unit, before lowering. */
void lower_prepare(struct unit *unit, struct layout *layout);

/* Places the areas of the frame, after lowering. */
void layout_place(struct layout *layout);

/* --- For the files that lower expressions --- */

struct ir *lower_add(struct lower *lower, enum ir_op op);
struct place lower_temp(struct lower *lower);
struct place lower_slot(struct lower *lower);
struct place lower_slots(struct lower *lower, size_t size); /* consecutive slots with at least that size */
int lower_label(struct lower *lower);
void lower_here(struct lower *lower, int label);
void lower_goto(struct lower *lower, int label);
void lower_if(struct lower *lower, struct place a, enum node_op how, struct place b, bool is_signed, int label);
void lower_move(struct lower *lower, struct place to, struct place from);
struct place lower_extend(struct lower *lower, struct place word, struct type *type);
struct place lower_cast(struct lower *lower, struct place word, struct type *from, struct type *to);
struct place lower_compute(struct lower *lower, enum node_op how, struct place a, struct place b, bool is_signed);
void lower_copy(struct lower *lower, struct place to, struct place from, size_t size);

/* Calls a BPF function with up to four arguments; its result is in a temporary. */
struct place lower_call(struct lower *lower, const char *name, const struct place *args, unsigned int count);

/* An argument of functions that read the kernel stack: the number of frames to skip. */
struct place lower_own_frames(struct lower *lower);

/* The function that reads the process stack in this kind of program, a variant of `what`. */
const char *lower_stack_function(struct lower *lower, const char *what);

/* Counts an action for ERROR, as illumos does: each statement, argument of printf(), and key. */
void lower_count_action(struct lower *lower);

/* A word of struct d_frame. */
#define LOWER_HEAD(field) place_at(AREA_HEAD, (uint32_t)offsetof(struct d_frame, field))

struct place lower_word(struct lower *lower, struct node *node);   /* CONST or TEMP */
struct place lower_string(struct lower *lower, struct node *node); /* the place of a string */
struct place lower_in_frame(struct lower *lower,
			    struct place string); /* the same, but in the frame, for library functions */
/* Makes the text in the record, and sets the record's field to its position; false: not possible. */
bool lower_string_in_record(struct lower *lower, struct node *node, struct place field);
void lower_effect(struct lower *lower, struct node *node); /* for its effects only */
void lower_branch(struct lower *lower, struct node *node, int if_false);

/* NULL: null.c. */
bool lower_has_null(const struct lower *lower);
bool lower_may_be_null(const struct lower *lower, const struct node *node);
struct place lower_is_null(struct lower *lower, const struct node *node, struct place string);	/* a word: 1 or 0 */
struct place lower_not_null(struct lower *lower, const struct node *node, struct place string); /* or a fault */
void lower_set_null(struct lower *lower, struct place string); /* makes an empty string NULL */
struct place lower_null(struct lower *lower);

struct place lower_constant(struct lower *lower, const char *text, size_t length);
struct place lower_builtin(struct lower *lower, struct node *node);
struct place lower_call_node(struct lower *lower, struct node *node);

size_t lower_field_size(const struct field *field); /* of the fixed part in a record */

/*
 * True if a record that does not fit into a speculation is dropped while the clause continues, as in Oracle's DTrace.
 */
bool lower_speculates_records(const struct lower *lower);
/* Bytes that a record of the clause takes in a speculation: as in DTrace, strings have their full size. */
size_t lower_speculated_size(const struct lower *lower);

/* The evaluated components of a key. */
struct lower_key {
	struct place *parts;
	struct type **types;
	size_t count;
	bool has_thread;
};

size_t lower_type_size(const struct layout *layout, struct type *type); /* in keys and variables */
bool lower_key_is_text(struct type *type);
size_t lower_key_size(const struct layout *layout, const struct type_key *keys, bool has_thread);
/* Copies bytes of a key from an address, padded with zeros to a whole word. */
void lower_key_bytes(struct lower *lower, struct place to, struct place address, size_t size);

/* A place that can be assigned to. */
struct lvalue {
	enum { LVALUE_PLACE, LVALUE_INDEXED, LVALUE_ELEMENT, LVALUE_POINTER } kind;
	struct place place;
	struct place index;
	uint32_t scale, limit; /* INDEXED, or in an ELEMENT: bytes per step, number of steps */
	struct symbol *symbol; /* of an element */
	struct lower_key key;
	struct place address;
	bool is_scratch;	/* in memory of alloca() */
	bool is_part;		/* of an array or a struct: a string has only its bytes */
	uint32_t offset;	/* in the element, or from the address */
	unsigned int bits, bit; /* of a bit-field; bits 0: none */
	struct type *type;
};

bool lower_lvalue(struct lower *lower, struct node *node, struct lvalue *lvalue);
struct place lvalue_load(struct lower *lower, const struct lvalue *lvalue);
void lvalue_store(struct lower *lower, const struct lvalue *lvalue, struct place word);
struct place lvalue_string(struct lower *lower, const struct lvalue *lvalue);
void lvalue_store_string(struct lower *lower, const struct lvalue *lvalue, struct place string);
/* Copies from an address to an LVALUE_INDEXED. */
void lvalue_copy_at(struct lower *lower, const struct lvalue *lvalue, struct place address, uint32_t size);
bool lvalue_is_element(const struct lvalue *lvalue);		      /* a whole element */
void lvalue_delete(struct lower *lower, const struct lvalue *lvalue); /* an element */
void lvalue_load_value(struct lower *lower, const struct lvalue *lvalue);
void lvalue_store_value(struct lower *lower, const struct lvalue *lvalue);
struct place lvalue_address(struct lower *lower, const struct lvalue *lvalue);

void lower_aggregation(struct lower *lower, struct node *node);
void lower_action(struct lower *lower, struct node *node);
void lower_unsupported(struct lower *lower, const struct node *node, const char *what);

#endif
