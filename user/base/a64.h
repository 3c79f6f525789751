/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arm64 instructions, as far as the comparison of code needs them: the registers that one reads and writes, its branch
 * target, and its number or address. Source: Arm Architecture Reference Manual for A-profile, C4.1.
 */
#ifndef ERLBPF_BASE_A64_H
#define ERLBPF_BASE_A64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define A64_SIZE 4  /* bytes of an instruction */
#define A64_NONE 31 /* no register, or the stack pointer */

enum a64_kind {
	A64_OTHER,
	A64_PAGE,    /* rd = value; another instruction adds the rest of the address */
	A64_ADDRESS, /* rd = value, an address */
	A64_ADD,     /* rd = rn + value */
	A64_NUMBER,  /* rn and the number value: a comparison, a mask */
	A64_SET,     /* rd = value */
	A64_KEEP,    /* 16 bits of rd = value, at bit `shift` */
	A64_LOAD,    /* from rn + value, into rd if that is a general register */
	A64_STORE,   /* to rn + value */
	A64_CALL,    /* calls the address value; 0: unknown */
	A64_GO,	     /* jumps to value; 0: unknown */
	A64_GO_IF,   /* jumps to value, or continues */
	A64_STOP,    /* returns, or is no instruction */
};

struct a64 {
	enum a64_kind kind;
	uint64_t value;
	uint8_t rd, rn;		/* A64_NONE: none */
	uint8_t shift;		/* for A64_KEEP */
	uint8_t size;		/* bytes per register of A64_LOAD and A64_STORE */
	bool is_wide;		/* 64 bits */
	bool is_pair;		/* A64_LOAD and A64_STORE: two adjacent registers */
	uint32_t reads, writes; /* a bit for each of x0 to x30 */
};

/* Decodes the instruction `word` at `address`. */
struct a64 a64_read(uint32_t word, uint64_t address);

/* Same, from at least A64_SIZE bytes of code. */
struct a64 a64_read_code(const unsigned char *code, uint64_t address);

/* The number that A64_SET at `code` and the A64_KEEP behind it load, of up to four parts. */
uint64_t a64_whole_number(const unsigned char *code, size_t left);

#endif
