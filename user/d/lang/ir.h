/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intermediate representation of a program: a list of simple operations on places. A place is a constant, a word of
 * the frame that holds a temporary, or other memory of the frame or the globals; offsets are known after lowering
 * (struct layout). Every operation becomes a fixed idiom of BPF instructions (emit.c): no optimizer comes between the
 * checks here and the verifier.
 */
#ifndef ERLBPF_D_LANG_IR_H
#define ERLBPF_D_LANG_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "d/lang/ast.h"

struct arena;

enum area {
	AREA_NONE,
	AREA_CONST,   /* value */
	AREA_TEMP,    /* offset: number of the temporary, one word each */
	AREA_HEAD,    /* struct d_frame itself */
	AREA_STRING,  /* offset: number of the slot, room for one string each */
	AREA_THIS,    /* this-> variables of the firing */
	AREA_KEY,     /* the key of an array or an aggregation */
	AREA_VALUE,   /* the value of an array element to be stored */
	AREA_RECORD,  /* the record of the clause */
	AREA_TOKENS,  /* state of strtok(), for one firing */
	AREA_SCRATCH, /* alloca(), copyin() */
	AREA_GLOBALS, /* outside the frame: constants, then global variables */
	AREAS,
};

struct place {
	enum area area;
	uint32_t offset;
	int64_t value;
};

enum ir_op {
	IR_LABEL,	/* label: */
	IR_GOTO,	/* label */
	IR_IF,		/* if (a `how` b) goto label; how is OP_EQ ... OP_GE, is_signed */
	IR_MOVE,	/* dst = a, words */
	IR_EXTEND,	/* dst = a, cut to size bytes and extended */
	IR_COMPUTE,	/* dst = a `how` b: + - * & | ^ << >>, is_signed for >> */
	IR_NEGATE,	/* dst = -a */
	IR_INVERT,	/* dst = ~a */
	IR_LOAD,	/* dst = size bytes at place a, extended */
	IR_STORE,	/* size bytes at place dst = word a */
	IR_LOAD_AT,	/* dst = size bytes at place a + b * imm, b below `limit` */
	IR_STORE_AT,	/* the same: place dst + b * imm = a */
	IR_ADDRESS,	/* dst = address of place a, as a number */
	IR_ADDRESS_AT,	/* dst = address of place a + b * imm */
	IR_COPY,	/* size bytes from place a to place dst */
	IR_ZERO,	/* size bytes at place dst */
	IR_COPY_FROM,	/* size bytes from the address in a to place dst; fault if it cannot be read */
	IR_COPY_AT,	/* the same, to place dst + b * imm, b below `limit` */
	IR_SAME_STRING, /* dst = 1 if the strings at a and b are equal, else 0 */
	IR_SAME_TEXT,	/* the same; b is the constant `text` */
	IR_PUT_STRING,	/* append string a to the record; its field is at dst */
	IR_CALL,	/* dst = name(frame, args...); check for faults unless is_safe */
	IR_FAULT,	/* f->fault = imm, f->fault_value = a; goto the fault label of the clause */
	IR_GET, /* place dst = value of `map` at the key, size bytes; if missing zeros, and imm in the last byte */
	IR_SET, /* `map` at the key = size bytes at place a */
	IR_DELETE,
	IR_AGGREGATE,  /* find or create the value of `map` at the key, select our stripe of `limit` stripes of `size`
			  bytes; goto label if the map is full */
	IR_AGG_ADD,    /* word dst.value of it += a */
	IR_AGG_ADD_AT, /* word a (a temporary, below limit) of it += b */
	IR_AGG_MAX,    /* word dst.value = a, if that is greater, unsigned */
	IR_AGG_SQUARE, /* words 2 and 3 += the square of a, whose upper half is b */
	IR_END,	       /* return */
};

#define IR_MAX_ARGS 4

struct ir {
	enum ir_op op;
	enum node_op how;
	struct place dst, a, b;
	struct place args[IR_MAX_ARGS];
	unsigned int arg_count;
	int label;
	uint32_t size, limit;
	int64_t imm;
	bool is_signed, is_safe, with_context;
	const char *name; /* of a function or a map */
	const char *text; /* of a constant; or a comment */
	struct ir *next;
};

struct ir_list {
	struct ir *first, *last;
	int labels;
};

struct ir *ir_add(struct arena *arena, struct ir_list *list, enum ir_op op);

/* Removes unreachable operations, which the kernel refuses. */
void ir_prune(struct arena *arena, struct ir_list *list);

/* Prints one operation per line, for -S. */
void ir_print(FILE *to, const struct ir_list *list);

static inline struct place place_const(int64_t value)
{
	return (struct place){ .area = AREA_CONST, .value = value };
}

static inline struct place place_at(enum area area, uint32_t offset)
{
	return (struct place){ .area = area, .offset = offset };
}

static inline struct place place_plus(struct place place, uint32_t bytes)
{
	place.offset += bytes;
	return place;
}

#endif
