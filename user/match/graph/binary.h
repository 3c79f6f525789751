/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of an executable is compared: its code, constants and data, and what they point to. The file is hostile; memory
 * is bounded by BINARY_MAX_BYTES. Addresses are virtual, before relocation, and fit into 31 bits: files for which they
 * do not are refused.
 */
#ifndef ERLBPF_MATCH_GRAPH_BINARY_H
#define ERLBPF_MATCH_GRAPH_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "elf/elf_file.h"

/* Of all sections, of code, and of data that the file has: a BEAM has 6 MB, 4.7 MB and 0.14 MB. */
#define BINARY_MAX_BYTES (32u << 20)
#define BINARY_MAX_CODE (16u << 20)
#define BINARY_MAX_DATA (4u << 20)
#define BINARY_MAX_SECTIONS 64

enum binary_kind { BINARY_CODE, BINARY_STUBS, BINARY_CONSTANTS, BINARY_DATA };

struct binary_section {
	enum binary_kind kind;
	uint32_t address, size;
	unsigned char *data; /* NULL: zeros */
};

/* Where a pointer is that the linker left to be relocated, and the address that it gets. */
struct binary_pointer {
	uint32_t at, to;
};

/* Where the address of a function of a library will be. */
struct binary_import {
	uint32_t at, name; /* a hash */
};

struct binary_function {
	uint32_t start, size;
};

struct binary_export {
	const char *name; /* among the names */
	uint32_t address;
};

struct binary {
	enum arch arch;
	bool has_fixed_place;				     /* ET_EXEC: addresses may be numbers in code */
	struct binary_section sections[BINARY_MAX_SECTIONS]; /* by address; none overlaps another */
	size_t section_count;
	struct binary_pointer *pointers; /* by place */
	size_t pointer_count;
	struct binary_import *imports; /* by place */
	size_t import_count;
	struct binary_function *functions; /* by start, from .eh_frame */
	size_t function_count;
	uint32_t linked_address, linked_size; /* the linker's table of addresses (.got) */
	char *names;			      /* of dynamic symbols */
	struct binary_export *exports;
	size_t export_count;
};

#define FRAMES_MAX (1u << 17) /* functions; a BEAM has 7,000 */

/*
 * All functions of a table .eh_frame of `size` hostile bytes at `address`, in the table's order; the caller owns
 * *functions. What makes no sense ends the list. 0 or -ENOMEM.
 */
int frames_read(const void *table, size_t size, uint64_t address, struct binary_function **functions, size_t *count);

/* 0, -ENOEXEC if it cannot be compared, or -ENOMEM. binary_close() in any case. */
int binary_open(const struct elf_file *file, struct binary *binary);
void binary_close(struct binary *binary);

const struct binary_section *binary_section_of(const struct binary *binary, uint64_t address);

/* What lies at an address, of data: constants, values, zeros; 3: none of these. */
uint32_t binary_kind_of_data(const struct binary *binary, uint64_t address);

/* Bytes at an address, and how many are there up to the end of its section; NULL: none in the file. */
const unsigned char *binary_bytes(const struct binary *binary, uint64_t address, size_t *left);

/* The pointer at this address, 0: none is there. */
uint32_t binary_pointer_at(const struct binary *binary, uint64_t address);

/* The same of a place in the linker's table, 0: it is not there. */
uint32_t binary_linked_at(const struct binary *binary, uint64_t address);

/* The word at this address, as the file has it. */
bool binary_word(const struct binary *binary, uint64_t address, uint64_t *word);

/* The hash of the name whose address will be there, 0: none. */
uint32_t binary_import_at(const struct binary *binary, uint64_t address);

/* The number of the function that starts there, -1: none. */
int64_t binary_function_at(const struct binary *binary, uint64_t address);

/* A constant text of at least `least` printable characters, NULL: it is none. */
const char *binary_text(const struct binary *binary, uint64_t address, size_t least);

#endif
