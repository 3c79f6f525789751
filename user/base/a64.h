/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of aarch64, as far as comparing code needs them: which registers one reads and writes, where it goes,
 * and what number or address it has. Source: Arm Architecture Reference Manual for A-profile, C4.1.
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
	A64_PAGE,    /* rd = value, to which another instruction adds the rest of an address */
	A64_ADDRESS, /* rd = value, an address */
	A64_ADD,     /* rd = rn + value */
	A64_NUMBER,  /* something of rn and the number value: a comparison, a mask */
	A64_SET,     /* rd = value */
	A64_KEEP,    /* 16 bits of rd = value; `shift` says which */
	A64_LOAD,    /* from rn + value, into rd if that is a register for numbers */
	A64_STORE,   /* to rn + value */
	A64_CALL,    /* of the address value, or of none that is known (0) */
	A64_GO,	     /* to value, or 0 as above */
	A64_GO_IF,   /* to value, or on */
	A64_STOP,    /* it returns, or is no instruction */
};

struct a64 {
	enum a64_kind kind;
	uint64_t value;
	uint8_t rd, rn;		/* A64_NONE: none */
	uint8_t shift;		/* of A64_KEEP */
	uint8_t size;		/* bytes of each that A64_LOAD and A64_STORE move */
	bool is_wide;		/* 64 bits */
	bool is_pair;		/* A64_LOAD and A64_STORE: of two, one behind the other */
	uint32_t reads, writes; /* a bit for each of x0 to x30 */
};

/* Of the word that is at the address. */
struct a64 a64_read(uint32_t word, uint64_t address);

/* The same of the code, of which there are A64_SIZE bytes at least. */
struct a64 a64_read_code(const unsigned char *code, uint64_t address);

/* What A64_SET, which the code begins with, and the A64_KEEP behind it make: a number of up to four parts. */
uint64_t a64_whole_number(const unsigned char *code, size_t left);

#endif
