/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The intermediate form of a program: a list of simple operations on places. A place is a constant, a word of
 * the frame that holds a temporary, or some memory of the frame or of the globals; where in it is known when all
 * is lowered (struct layout). Every operation becomes a fixed idiom of BPF instructions (emit.c): no optimiser
 * stands between what is checked here and what the verifier sees.
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
	AREA_TEMP,    /* offset: number of the temporary, a word each */
	AREA_HEAD,    /* struct d_frame itself */
	AREA_STRING,  /* offset: number of the slot, room for a string each */
	AREA_THIS,    /* this-> variables of the firing */
	AREA_KEY,     /* the key of an array or an aggregation that is being made */
	AREA_VALUE,   /* the value of an array's element that is being stored */
	AREA_RECORD,  /* what the clause records */
	AREA_TOKENS,  /* state of strtok(): for as long as a firing lasts */
	AREA_SCRATCH, /* alloca(), copyin() */
	AREA_GLOBALS, /* not of the frame: constants, then global variables */
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
	IR_PUT_STRING,	/* string at a goes behind the record's fields; its field is at dst */
	IR_CALL,	/* dst = name(frame, args...); faults are looked at unless is_safe */
	IR_FAULT,	/* f->fault = imm, f->fault_value = a; goto the clause's fault */
	IR_GET,		/* value of `map` at the key to place dst, size bytes; zeros if there is none, and imm
			   in the last byte */
	IR_SET,		/* `map` at the key = size bytes at place a */
	IR_DELETE,
	IR_AGGREGATE,  /* find or make the value of `map` at the key, our stripe of `limit` ones of `size` bytes in it;
			  goto label if there is no room */
	IR_AGG_ADD,    /* word dst.value of it += a */
	IR_AGG_ADD_AT, /* word a (a temporary, below limit) of it += b */
	IR_AGG_MAX,    /* word dst.value = a, if that is greater, unsigned */
	IR_AGG_SQUARE, /* words 2 and 3 += square of a, whose upper half is b */
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
	const char *name; /* of a function, a map */
	const char *text; /* of a constant; or a comment */
	struct ir *next;
};

struct ir_list {
	struct ir *first, *last;
	int labels;
};

struct ir *ir_add(struct arena *arena, struct ir_list *list, enum ir_op op);

/* Take out what can never be reached, which the kernel refuses. */
void ir_prune(struct arena *arena, struct ir_list *list);

/* One operation a line, for -S. */
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
