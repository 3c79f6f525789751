// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/attach/places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/log.h"
#include "dtrace/symbols/objects.h"
#include "dtrace/provider/usdt.h"
#include "load/guardian/guardian.h"
#include "target/reader/procfs.h"

/* Kernels deadlock when 1,024 programs are freed at once, and the limit must hold for any number of note classes. */
#define MAX_CLASSES 200
#define MAX_WARNINGS 16

struct place {
	const struct d_probe *probe;
	const struct note_site *site; /* NULL: the probe is a function */
	int program;		      /* of the loader */
};

/* A program for notes with the same argument locations. */
struct class
{
	const char *program;
	struct erl_config config;
	int fd; /* of the loader */
};

/* The number of sites of a probe among the places of a program. */
struct known_key {
	const struct d_probe *probe;
	const char *program;
};

struct known {
	struct known_key key;
	size_t sites;
	UT_hash_handle hh;
};

/* A link of the guardian. */
struct held {
	int number;
	pid_t pid;
};

struct places {
	struct loader *loader;
	const struct kernel *kernel;
	unsigned int args;
	struct place *places;
	size_t count; /* places to attach */
	struct class *classes;
	size_t class_count;
	struct known *known;
	struct held *held;
	size_t held_count;
	size_t refused; /* places that the kernel refuses */
	size_t without_class, warnings;
};

struct places *places_new(struct loader *loader, const struct kernel *kernel, unsigned int args)
{
	struct places *places = calloc(1, sizeof(*places));

	if (!places)
		return NULL;
	places->loader = loader;
	places->kernel = kernel;
	places->args = args & ((1u << D_ARGS) - 1);
	return places;
}

void places_free(struct places *places)
{
	struct known *known, *next;

	if (!places)
		return;
	places_detach(places);
	HASH_ITER(hh, places->known, known, next) {
		HASH_DEL(places->known, known);
		free(known);
	}
	free(places->places);
	free(places->classes);
	free(places->held);
	free(places);
}

bool probe_has_places(const struct d_probe *probe)
{
	return probe->object || probe->hook == HOOK_USDT;
}

/* Loading. */

static int add(struct places *places, const struct place *place, unsigned int times)
{
	for (unsigned int i = 0; i < times; i++) {
		if (!array_has_room(places->places, places->count))
			return -ENOMEM;
		places->places[places->count++] = *place;
	}
	return 0;
}

static void warn_unreadable(struct places *places, const struct d_probe *probe, const struct note_site *site)
{
	for (int i = 0; i < site->argc && i < D_ARGS; i++) {
		if (!(places->args >> i & 1) || !site->unreadable[i] || places->warnings++ >= MAX_WARNINGS)
			continue;
		pr_warn("arg%d of %s:%s:%s:%s is 0, because it cannot be read: %s", i, probe->names.provider,
			probe->names.module, probe->names.function, probe->names.name, site->unreadable[i]);
	}
}

static void make_config(const struct places *places, const struct note_site *site, struct erl_config *config)
{
	memset(config, 0, sizeof(*config));
	for (int i = 0; i < ERL_MAX_ARGS; i++) {
		if (places->args >> i & 1)
			config->args[i].operand = site->args[i];
	}
	if (places->kernel->attach == KERNEL_ATTACH_MULTI_INODE)
		config->flags = ERL_CONFIG_CHECK_PID;
}

/* The program for a site: an fd, -ENOSPC if there are too many classes of sites, or another -errno. */
static int program_of(struct places *places, const char *program, const struct note_site *site)
{
	struct class *class;
	struct erl_config config;
	int fd;

	make_config(places, site, &config);
	for (size_t i = 0; i < places->class_count; i++) {
		class = &places->classes[i];
		if (!strcmp(class->program, program) && !memcmp(&class->config, &config, sizeof(config)))
			return class->fd;
	}
	if (places->class_count >= MAX_CLASSES)
		return -ENOSPC;
	if (!array_has_room(places->classes, places->class_count))
		return -ENOMEM;
	fd = loader_program_named(places->loader, program, LOADER_UPROBE, &config);
	if (fd < 0)
		return fd;
	class = &places->classes[places->class_count++];
	*class = (struct class){ .program = program, .fd = fd };
	memcpy(&class->config, &config, sizeof(config));
	return fd;
}

static int add_site(struct places *places, const struct d_probe *probe, const struct note_site *site,
		    const struct d_started *started)
{
	struct place place = { probe, site, program_of(places, started->program, site) };

	if (place.program == -ENOSPC) {
		places->without_class++;
		return 0;
	}
	if (place.program < 0)
		return place.program;
	warn_unreadable(places, probe, site);
	return add(places, &place, started->times);
}

static int add_sites(struct places *places, const struct d_probe *probe, const struct d_started *started)
{
	struct known_key key = { probe, started->program };
	struct known *known;
	int err = 0;

	HASH_FIND(hh, places->known, &key, sizeof(key), known);
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return -ENOMEM;
		known->key = key;
		HASH_ADD(hh, places->known, key, sizeof(key), known);
	}
	while (!err && known->sites < probe->site_count)
		err = add_site(places, probe, probe->sites[known->sites++], started);
	return err;
}

int places_add(struct places *places, const struct d_probe *probe, const struct d_started *started)
{
	struct place place = { .probe = probe };

	if (probe->hook == HOOK_USDT)
		return add_sites(places, probe, started);
	place.program = loader_program_named(places->loader, started->program, LOADER_UPROBE, started->config);
	return place.program < 0 ? place.program : add(places, &place, started->times);
}

/* Attaching. */

/* Places of one program in one file of one process. */
struct batch {
	const struct place *first;
	unsigned long *offsets, *semaphores;
	uint64_t *cookies;
	size_t count;
};

static int file_of(const struct place *place)
{
	return place->site ? place->site->fd : place->probe->object->fd;
}

static int link_all(struct places *places, const struct kernel_sites *sites, int program)
{
	int number = guardian_link(program, sites, places->kernel->attach);

	if (number < 0)
		return number;
	if (!array_has_room(places->held, places->held_count)) {
		guardian_unlink(&number, 1);
		return -ENOMEM;
	}
	places->held[places->held_count++] = (struct held){ number, sites->pid };
	return 0;
}

/* A link holds all places or fails, and the kernel refuses some instructions. So bisect to find the refused places. */
static int link_most(struct places *places, const struct kernel_sites *sites, int program)
{
	struct kernel_sites half = *sites;
	int err = link_all(places, sites, program), other;

	if (err != -EINVAL && err != -EOPNOTSUPP && err != -ENOEXEC && err != -524 /* ENOTSUPP */ && err != -EIO)
		return err;
	if (sites->count == 1) {
		places->refused++;
		return 0;
	}
	half.count = sites->count / 2;
	err = link_most(places, &half, program);
	half.count = sites->count - sites->count / 2;
	half.offsets += sites->count / 2;
	half.semaphores += sites->count / 2;
	half.cookies += sites->count / 2;
	other = err ? 0 : link_most(places, &half, program);
	return err ? err : other;
}

static int attach_batch(struct places *places, const struct batch *batch)
{
	const struct d_probe *probe = batch->first->probe;
	const char *file = batch->first->site ? batch->first->site->file : probe->object->name;
	struct kernel_sites sites = {
		.file = file_of(batch->first),
		.offsets = batch->offsets,
		.semaphores = batch->semaphores,
		.cookies = batch->cookies,
		.count = batch->count,
		.at_return = probe->hook == HOOK_PID_RETURN,
		.pid = probe->pid,
	};
	size_t refused = places->refused;
	int err;

	err = link_most(places, &sites, batch->first->program);
	/* One of many processes with notes may have ended. */
	if (err == -ESRCH && probe->hook == HOOK_USDT)
		return 0;
	if (err)
		pr_err("cannot attach to %s of process %d: %s", file, probe->pid, strerror(-err));
	else if (places->refused > refused)
		pr_warn("the kernel refuses %zu of %zu probes in %s of process %d", places->refused - refused,
			batch->count, file, probe->pid);
	return err;
}

static int compare(int a, int b)
{
	return (a > b) - (a < b);
}

static int by_batch(const void *a, const void *b)
{
	const struct place *x = *(const struct place *const *)a, *y = *(const struct place *const *)b;
	int order = compare(x->probe->pid, y->probe->pid);

	if (!order)
		order = compare(file_of(x), file_of(y));
	if (!order)
		order = compare(x->program, y->program);
	return order ? order : compare(x->probe->hook, y->probe->hook);
}

static int by_batch_and_place(const void *a, const void *b)
{
	const struct place *x = *(const struct place *const *)a, *y = *(const struct place *const *)b;
	int order = by_batch(a, b);

	return order ? order : (x > y) - (x < y);
}

static void put_site(struct batch *batch, const struct place *place)
{
	const struct d_probe *probe = place->probe;

	batch->offsets[batch->count] = place->site ? place->site->offset : probe->offset;
	batch->semaphores[batch->count] = place->site ? place->site->semaphore : 0;
	batch->cookies[batch->count++] = erl_cookie((uint32_t)probe->pid, probe->function, probe->number);
}

static int attach_sorted(struct places *places, const struct place **sorted, size_t count)
{
	_cleanup_free_ unsigned long *offsets = calloc(count + 1, sizeof(*offsets));
	_cleanup_free_ unsigned long *semaphores = calloc(count + 1, sizeof(*semaphores));
	_cleanup_free_ uint64_t *cookies = calloc(count + 1, sizeof(*cookies));
	int err = offsets && semaphores && cookies ? 0 : -ENOMEM;

	for (size_t from = 0, to; !err && from < count; from = to) {
		struct batch batch = { sorted[from], offsets, semaphores, cookies, 0 };

		for (to = from; to < count && !by_batch(&sorted[from], &sorted[to]); to++)
			put_site(&batch, sorted[to]);
		err = attach_batch(places, &batch);
	}
	return err;
}

int places_attach(struct places *places)
{
	_cleanup_free_ const struct place **sorted = calloc(places->count + 1, sizeof(*sorted));
	int err;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < places->count; i++)
		sorted[i] = &places->places[i];
	qsort(sorted, places->count, sizeof(*sorted), by_batch_and_place);
	err = attach_sorted(places, sorted, places->count);
	places->count = 0;
	if (places->without_class)
		pr_warn("%zu sites are not probed: their notes have more than %d different argument locations",
			places->without_class, MAX_CLASSES);
	places->without_class = 0;
	return err;
}

/* Closes the matching links. */
static void unlink_if(struct places *places, bool (*is_meant)(pid_t pid))
{
	_cleanup_free_ int *numbers = calloc(places->held_count + 1, sizeof(*numbers));
	size_t kept = 0, count = 0;

	for (size_t i = 0; i < places->held_count; i++) {
		struct held held = places->held[i];

		if (!is_meant(held.pid))
			places->held[kept++] = held;
		else if (numbers)
			numbers[count++] = held.number;
		else
			guardian_unlink(&held.number, 1);
	}
	places->held_count = kept;
	guardian_unlink(numbers, count);
}

static bool has_ended(pid_t pid)
{
	return procfs_check_process(pid) == -ESRCH;
}

void places_reap(struct places *places)
{
	unlink_if(places, has_ended);
}

static bool is_any(pid_t pid)
{
	(void)pid;
	return true;
}

void places_detach(struct places *places)
{
	unlink_if(places, is_any);
}
