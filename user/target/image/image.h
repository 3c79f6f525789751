/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An executable file, opened once and only read: its segments, its symbols, its notes. It comes from
 * a traced process and is hostile: everything is bounds-checked, what it may cost is limited (image_build.h), nothing
 * is mapped (a file that shrinks under a mapping would kill us), and what makes no sense is an error.
 */
#ifndef ERLBPF_TARGET_IMAGE_IMAGE_H
#define ERLBPF_TARGET_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"

struct image;

/* The file behind an image: what is not kept is read when it is asked for. */
struct image_file {
	int fd;							      /* must stay open as long as the image */
	int (*read)(int fd, uint64_t offset, void *buf, size_t size); /* all of it, or an error */
};

/*
 * An image of what image_build() has made of the file, maybe in another process: nothing in it is trusted. The memory,
 * of malloc(), is the callee's. 0, -EINVAL if it makes no sense, or -ENOMEM.
 */
int image_take(void *flat, size_t size, const struct image_file *file, struct image **image);

struct image_symbol {
	const char *name; /* owned by the image */
	uint64_t address; /* virtual, before relocation */
	uint64_t size;
	bool is_function;
	bool is_local;	 /* static: others may have its name */
	bool is_matched; /* it is not the file that says so: match/match.h */
};

/*
 * Read the file behind `fd`, which stays the caller's and must stay open as long as the image.
 * 0, -ENOEXEC with the reason in *why (a string constant) if it is no 64-bit ELF file of this
 * machine's kind, or another -errno.
 */
int image_open(int fd, struct image **image, const char **why);
void image_free(struct image *image);

/* All images of this process together take so many bytes at most, with what is kept of sections; else it is -ENOMEM. */
void image_limit_all(size_t bytes);

enum arch image_arch(const struct image *image);

/* A defined symbol of .dynsym or .symtab, NULL if there is none. */
const struct image_symbol *image_symbol(const struct image *image, const char *name);

/*
 * Which of several names for one place is the better one, for qsort(3): the exported, then the shortest, then the
 * first by the alphabet.
 */
int image_symbol_compare(const struct image_symbol *a, const struct image_symbol *b);

/* Were names of functions that the file hides found by comparison (match/match.h)? */
bool image_is_matched(const struct image *image);

/* Are calls of functions inlined when the VM is linked? Then what a function's probe counts is not all. */
bool image_is_inlined(const struct image *image);

/* Has a process of this VM no word for a frame pointer? Has a mutex a word more than that of x86-64? */
bool image_has_no_frame_pointer(const struct image *image);
bool image_has_large_mutex(const struct image *image);

/* Why a function that is looked for may have no name here although it is there, NULL: it is not there. */
const char *image_why_hidden(const struct image *image);

/* All of them, sorted by name. */
const struct image_symbol *image_symbols(const struct image *image, size_t *count);

/* File offset of an address in an executable, or in a writable, segment. -ENOENT if it is in none. */
int image_code_offset(const struct image *image, uint64_t address, uint64_t *offset);
int image_data_offset(const struct image *image, uint64_t address, uint64_t *offset);

/* Bytes at an address as the file has them. 0, -ENOENT if they are not all in the file, or why it cannot be read. */
int image_read(const struct image *image, uint64_t address, void *buf, size_t size);

/* The same of code: from the executable segment that image_code_offset() answers for. */
int image_read_code(const struct image *image, uint64_t address, void *buf, size_t size);

/* The i-th executable segment, as far as it is in the file. False: there are no more. */
bool image_code_segment(const struct image *image, size_t i, uint64_t *address, uint64_t *size);

/* A constant string at a symbol, as far as the symbol reaches. 0 or -ENOENT. */
int image_read_string(const struct image *image, const char *symbol, char *buf, size_t size);

struct image_section {
	const unsigned char *data; /* owned by the image */
	size_t size;
	uint64_t offset; /* in the file */
	uint64_t address;
};

/* A section by name. 0, -ENOENT, -EFBIG if it is larger than `limit`, or -EINVAL if it is broken. */
int image_section(const struct image *image, const char *name, size_t limit, struct image_section *section);

/* Is there one of that name? It is not read. */
bool image_has_section(const struct image *image, const char *name);

/*
 * Does the file itself point to the address: by a relocation, or without any by a word of its data? What
 * a process keeps in its memory may be anything.
 */
bool image_points_to(const struct image *image, uint64_t address);

/* What AT_ENTRY of a process, and the place of its first segment, are to be compared with. */
uint64_t image_entry(const struct image *image);
uint64_t image_start(const struct image *image);

#endif
