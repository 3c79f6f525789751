/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a process has mapped to run code from, and their functions: for the provider pid, and for
 * the names of addresses. All of it is hostile.
 */
#ifndef ERLBPF_DTRACE_SYMBOLS_OBJECTS_H
#define ERLBPF_DTRACE_SYMBOLS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/image/image.h"
#include "target/reader/reader.h"

struct objects;

struct object_function {
	const struct image_symbol *symbol;
	uint64_t offset; /* in the file */
};

struct mapped_object {
	char *name;		/* "libc.so.6" */
	bool is_main;		/* the executable */
	int fd;			/* of the file that is mapped, whatever its path is by now; -1: cannot be read */
	struct image *image;	/* NULL: the same, or it is no ELF file */
	bool is_borrowed;	/* the image is another's */
	uint64_t device, inode; /* as the kernel lists it among what is mapped */
	struct reader_identity identity;   /* as the file says */
	pid_t pid;			   /* of whom it was opened */
	struct object_function *functions; /* by offset, one per address */
	size_t function_count;
};

/* What the process has mapped now. NULL and errno. */
struct objects *objects_open(pid_t pid);
void objects_free(struct objects *objects);

/* Look again: what it had is kept, what is new comes behind it. Of one that has ended nothing changes. 0 or -errno. */
int objects_update(struct objects *objects);

size_t objects_count(const struct objects *objects);
struct mapped_object *objects_get(const struct objects *objects, size_t i);

/* The object that is mapped at an address, and where in its file that is; NULL. */
struct mapped_object *objects_at(const struct objects *objects, uint64_t address, uint64_t *offset);

/* Is anything mapped there to be run, of a file or not? */
bool objects_hold_code(const struct objects *objects, uint64_t address);

/* Is code that belongs to no file mapped there, as a JIT makes it? */
bool objects_is_anonymous(const struct objects *objects, uint64_t address);

/* Is it in code of the kernel's that every process has, [vdso]? */
bool objects_is_vdso(const struct objects *objects, uint64_t address);

/* The function that holds this place of the file; NULL. */
const struct object_function *object_function_at(struct mapped_object *object, uint64_t offset);

/* For an image that is open already, and outlives it: only its functions are known. NULL: no memory. */
struct mapped_object *object_borrow(struct image *image);
void object_free(struct mapped_object *object);

/* Open the file and sort its functions, once. */
void object_read(struct mapped_object *object);

/* Does a module of a probe description mean the object? "a.out" is the executable, "libc" and "libc.so" are
 * "libc.so.6". */
bool object_is_named(const struct mapped_object *object, const char *glob);

#endif
