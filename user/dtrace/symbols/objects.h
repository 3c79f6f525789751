/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that a process maps for execution, and their functions: for the provider pid, and for symbolizing
 * addresses. All of this is untrusted.
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
	char *name;			   /* "libc.so.6" */
	bool is_main;			   /* the executable */
	int fd;				   /* of the mapped file, even if its path changed; -1: unreadable */
	struct image *image;		   /* NULL: unreadable, or not an ELF file */
	bool is_borrowed;		   /* the image has another owner */
	uint64_t device, inode;		   /* as in /proc/PID/maps */
	struct reader_identity identity;   /* as in the file */
	pid_t pid;			   /* process through which it was opened */
	struct object_function *functions; /* sorted by offset, one per address */
	size_t function_count;
};

/* The files that the process maps now. NULL and errno. */
struct objects *objects_open(pid_t pid);
void objects_free(struct objects *objects);

/* Scans again: keeps old objects and appends new ones. Unchanged if the process ended. 0 or -errno. */
int objects_update(struct objects *objects);

size_t objects_count(const struct objects *objects);
struct mapped_object *objects_get(const struct objects *objects, size_t i);

/* The object mapped at an address, and the offset in its file; NULL. */
struct mapped_object *objects_at(const struct objects *objects, uint64_t address, uint64_t *offset);

/* True if executable memory is mapped there, from a file or not. */
bool objects_hold_code(const struct objects *objects, uint64_t address);

/* True if code without a file is mapped there, as from a JIT. */
bool objects_is_anonymous(const struct objects *objects, uint64_t address);

/* True for kernel code in every process, [vdso]. */
bool objects_is_vdso(const struct objects *objects, uint64_t address);

/* The function at this file offset; NULL. */
const struct object_function *object_function_at(struct mapped_object *object, uint64_t offset);

/* From an open image, which must outlive it: only its functions are known. NULL: out of memory. */
struct mapped_object *object_borrow(struct image *image);
void object_free(struct mapped_object *object);

/* Opens the file and sorts its functions, once. */
void object_read(struct mapped_object *object);

/*
 * True if the module of a probe description means the object. "a.out" is the executable, "libc" and "libc.so" are
 * "libc.so.6".
 */
bool object_is_named(const struct mapped_object *object, const char *glob);

#endif
