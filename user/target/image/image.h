/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An executable: its segments, symbols and sections. It belongs to a traced process and is hostile: everything is
 * bounds-checked, its cost is limited (image_build.h), and nothing is mapped, because a file that shrinks under a
 * mapping would kill us. Invalid contents are errors.
 */
#ifndef ERLBPF_TARGET_IMAGE_IMAGE_H
#define ERLBPF_TARGET_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"

struct image;

/* The file of an image, for contents that are read on demand. */
struct image_file {
	int fd;							      /* stays open for the life of the image */
	int (*read)(int fd, uint64_t offset, void *buf, size_t size); /* all bytes, or an error */
};

/*
 * Makes an image from the result of image_build(), which may come from a reader and is not trusted. Takes over `flat`,
 * which malloc() returned. 0, -EINVAL if it is inconsistent, or -ENOMEM.
 */
int image_take(void *flat, size_t size, const struct image_file *file, struct image **image);

struct image_symbol {
	const char *name; /* owned by the image */
	uint64_t address; /* in the file, before relocation */
	uint64_t size;
	bool is_function;
	bool is_local;	 /* static: other symbols may have the same name */
	bool is_matched; /* found by comparison (match/match.h) */
};

/*
 * Reads the file behind `fd`, which stays the caller's and open for the life of the image. 0, -ENOEXEC with the reason
 * in *why (a string constant) if it is no 64-bit ELF file for this machine, or another -errno.
 */
int image_open(int fd, struct image **image, const char **why);
void image_free(struct image *image);

/* Limits the memory of all images of this process, with their sections. Beyond it, functions return -ENOMEM. */
void image_limit_all(size_t bytes);

enum arch image_arch(const struct image *image);

/* A defined symbol of .dynsym or .symtab, or NULL. */
const struct image_symbol *image_symbol(const struct image *image, const char *name);

/* Orders names of one address, best first, for qsort(3): exported, then shortest, then alphabetical. */
int image_symbol_compare(const struct image_symbol *a, const struct image_symbol *b);

/* Were hidden functions named by comparison (match/match.h)? */
bool image_is_matched(const struct image *image);

/* Did link-time optimization inline calls? Then a function's probe misses some calls. */
bool image_is_inlined(const struct image *image);

/* Configuration: struct process has no word for a frame pointer; a mutex is one word larger than on x86-64. */
bool image_has_no_frame_pointer(const struct image *image);
bool image_has_large_mutex(const struct image *image);

/* Why a function may be hidden although it exists; NULL: it does not exist. */
const char *image_why_hidden(const struct image *image);

/* All symbols, sorted by name. */
const struct image_symbol *image_symbols(const struct image *image, size_t *count);

/* The file offset of an address in an executable or a writable segment. -ENOENT if it is in none. */
int image_code_offset(const struct image *image, uint64_t address, uint64_t *offset);
int image_data_offset(const struct image *image, uint64_t address, uint64_t *offset);

/* Reads bytes of the file by address. 0, -ENOENT if a part is not in the file, or another -errno. */
int image_read(const struct image *image, uint64_t address, void *buf, size_t size);

/* Like image_read(), from the executable segment that image_code_offset() uses. */
int image_read_code(const struct image *image, uint64_t address, void *buf, size_t size);

/* The part of the i-th executable segment that is in the file. False: there are no more. */
bool image_code_segment(const struct image *image, size_t i, uint64_t *address, uint64_t *size);

/* Reads a constant string at a symbol, within the symbol's size. 0 or -ENOENT. */
int image_read_string(const struct image *image, const char *symbol, char *buf, size_t size);

struct image_section {
	const unsigned char *data; /* owned by the image */
	size_t size;
	uint64_t offset; /* in the file */
	uint64_t address;
};

/* A section by name. 0, -ENOENT, -EFBIG if it is larger than `limit`, or -EINVAL if it is broken. */
int image_section(const struct image *image, const char *name, size_t limit, struct image_section *section);

/* Is there a section of that name? Does not read it. */
bool image_has_section(const struct image *image, const char *name);

/*
 * Does the file itself point to the address: by a relocation or, in files without relocations, by a word of its data?
 * The memory of a process is no proof, because it may contain anything.
 */
bool image_points_to(const struct image *image, uint64_t address);

/* The link-time counterparts of AT_ENTRY and of the address of the first segment. */
uint64_t image_entry(const struct image *image);
uint64_t image_start(const struct image *image);

#endif
