/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading: one set of maps per tool, and each program once per class of sites, specialised by its
 * struct erl_config. libbpf opens the object, makes its maps and relocates, once (relocate.h).
 *
 * Read-only data is constant to the verifier, so a copy has only the branches that its class needs: reading five
 * arguments takes about 6 ns, and 85 ns with a generic decoder. Sites that differ only in arguments that the tool does
 * not read (`args` of struct tool) share a copy. Copies are loaded by several threads, because the kernel verifies each
 * on its own.
 */
#ifndef ERLBPF_LOAD_LOAD_H
#define ERLBPF_LOAD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "erl.h"
#include "load/kernel/kernel.h"

struct loader;

/* 0 or -errno. */
int loader_open(const void *elf, size_t size, const struct kernel *kernel, struct loader **loader);
void loader_free(struct loader *loader);

/*
 * Programs of probes of the catalogue read the memory of the process that they run in, all others read nothing at
 * addresses that they compute, and none writes or sends signals. Before any is loaded.
 */
void loader_confine(struct loader *loader);

/* Set a `const volatile` variable of the BPF file, before the maps are made. 0 or -ENOENT. */
int loader_set(struct loader *loader, const char *variable, const void *value, size_t size);

/* Change the number of entries of a map, before the maps are made. 0 or -ENOENT. */
int loader_resize(struct loader *loader, const char *map, unsigned int entries);

/* The same of its whole shape. 0 keeps what the object says. */
int loader_shape(struct loader *loader, const char *map, unsigned int key_size, unsigned int value_size,
		 unsigned int entries);

/* Maps whose name begins so and that were not given a shape are not made: no program may use them. */
void loader_without(struct loader *loader, const char *prefix);

/* Make the maps. 0 or -errno; what went wrong is printed. */
int loader_make_maps(struct loader *loader);

/* fd of a map, owned by the loader; -ENOENT if the object has none of that name. */
int loader_map(const struct loader *loader, const char *name);

/* The programs that are wired to probes, by their section "usdt/PROVIDER:GLOB": what follows "usdt/". */
size_t loader_program_count(const struct loader *loader);
const char *loader_program_probe(const struct loader *loader, size_t program);

#define LOADER_SAVE_PROGRAM ((size_t)-1) /* erl_save() of erl.bpf.h */

/* A program for a class of sites. */
struct loader_class {
	size_t program;
	struct erl_config config;
	int fd; /* of the program, owned by the loader; -errno, with the reason printed */
};

/*
 * Load programs for their classes: 0, or the first error. When a program was released as often as it was asked for, it
 * is gone: a class may be that of one process only.
 */
int loader_programs(struct loader *loader, struct loader_class *classes, size_t count);
void loader_release(struct loader *loader, int fd);
const char *loader_program_name(const struct loader *loader, size_t program);

/* Every program that has been loaded and is the loader's. */
void loader_each_program(const struct loader *loader, void (*visit)(void *data, int program), void *data);

/* How a program that is no probe's of the catalogue is started. */
enum loader_hook { LOADER_RAW_TRACEPOINT, LOADER_PERF_EVENT, LOADER_UPROBE };

/* The same of any program by its name; once for each class, or NULL: what it knows of a VM, or where arguments are. */
int loader_program_named(struct loader *loader, const char *name, enum loader_hook hook,
			 const struct erl_config *config);

/* What a copy of a program has for itself alone. */
struct loader_own {
	const char *map;      /* that it does not share; NULL: none */
	int map_fd;	      /* of this map, the caller's afterwards */
	const char *variable; /* a `const volatile` one; NULL: none */
	const void *value;
	size_t value_size;
	const struct erl_config *config; /* NULL: all zeros */
};

/* Another copy of a program by its name; the fd is the caller's, for release_program(). -errno with the reason printed.
 */
int loader_program_own(struct loader *loader, const char *name, enum loader_hook hook, struct loader_own *own);

#endif
