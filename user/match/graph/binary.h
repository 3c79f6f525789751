/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of an executable that are compared: code, constants, data, and pointers. The file is hostile;
 * BINARY_MAX_BYTES limits the memory. Addresses are those before relocation; files whose addresses exceed 31 bits are
 * refused.
 */
#ifndef ERLBPF_MATCH_GRAPH_BINARY_H
#define ERLBPF_MATCH_GRAPH_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "elf/elf_file.h"

/* Limits for all sections, for code, and for data in the file. A BEAM has 6 MB, 4.7 MB and 0.14 MB. */
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

/* The address of a pointer that is relocated, and its target. */
struct binary_pointer {
	uint32_t at, to;
};

/* A word that will hold the address of a library's function. */
struct binary_import {
	uint32_t at, name; /* hash */
};

struct binary_function {
	uint32_t start, size;
};

struct binary_export {
	const char *name; /* points into the names */
	uint32_t address;
};

struct binary {
	enum arch arch;
	bool has_fixed_place;				     /* ET_EXEC: numbers in code may be addresses */
	struct binary_section sections[BINARY_MAX_SECTIONS]; /* by address, not overlapping */
	size_t section_count;
	struct binary_pointer *pointers; /* by address */
	size_t pointer_count;
	struct binary_import *imports; /* by address */
	size_t import_count;
	struct binary_function *functions; /* by start, from .eh_frame */
	size_t function_count;
	uint32_t linked_address, linked_size; /* the linker's address table (.got) */
	char *names;			      /* of dynamic symbols */
	struct binary_export *exports;
	size_t export_count;
};

#define FRAMES_MAX (1u << 17) /* a BEAM has 7,000 */

/*
 * Reads the functions of an .eh_frame table of `size` hostile bytes at `address`, in the order of the table. The caller
 * owns *functions. Stops at the first invalid entry. 0 or -ENOMEM.
 */
int frames_read(const void *table, size_t size, uint64_t address, struct binary_function **functions, size_t *count);

/* 0, -ENOEXEC if the file cannot be compared, or -ENOMEM. Call binary_close() in any case. */
int binary_open(const struct elf_file *file, struct binary *binary);
void binary_close(struct binary *binary);

const struct binary_section *binary_section_of(const struct binary *binary, uint64_t address);

/* The kind of data at an address: constant, initialised, zeros; 3: not data. */
uint32_t binary_kind_of_data(const struct binary *binary, uint64_t address);

/* The bytes at an address; *left: how many up to the end of the section. NULL: not in the file. */
const unsigned char *binary_bytes(const struct binary *binary, uint64_t address, size_t *left);

/* The target of the pointer at this address; 0: no pointer. */
uint32_t binary_pointer_at(const struct binary *binary, uint64_t address);

/* The same for the linker's table. */
uint32_t binary_linked_at(const struct binary *binary, uint64_t address);

/* The word in the file for this address. */
bool binary_word(const struct binary *binary, uint64_t address, uint64_t *word);

/* The hash of the imported name at this address; 0: none. */
uint32_t binary_import_at(const struct binary *binary, uint64_t address);

/* The index of the function that starts at the address, or -1. */
int64_t binary_function_at(const struct binary *binary, uint64_t address);

/* A constant text of at least `least` printable characters, or NULL. */
const char *binary_text(const struct binary *binary, uint64_t address, size_t least);

#endif
