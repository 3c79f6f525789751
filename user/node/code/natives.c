// SPDX-License-Identifier: BSD-2-Clause
/*
 * The VM's list of drivers, `driver_list`, and a few other drivers (erts/emulator/beam/io.c) contain the callbacks of
 * ports; the table of static NIFs, `erts_static_nif_tab` (driver_tab.c), contains the NIFs. All are exported data.
 * Their contents are hostile: lists are bounded, names are cut.
 *
 * Source: struct erts_driver_t_ and ErtsStaticNif in global.h, enif_entry_t and enif_func_t in erl_nif.h; `ptype /o` in
 * OTP 25.2.3, 27.3.4.1 and 29.1.1, equal in all.
 */
#include "node/code/natives.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "target/reader/procfs.h"

#define MAX_DRIVERS 256
#define MAX_MODULES 64
#define MAX_FUNCTIONS 1024 /* per module */
#define MAX_NATIVES 8192   /* in total; insertion compares with all, and a VM has a few hundred */
#define WORD_SIZE 48	   /* for the name of a driver, module or function */

struct driver {
	uint64_t next, prev, name_atom, name;
	int32_t version[2], flags, pad;
	uint64_t handle, lock, entry;
	uint64_t callbacks[15];
};

static const char *const callback_names[15] = {
	"start",   "stop",	  "finish",	  "flush",	 "output",
	"outputv", "control",	  "call",	  "ready_input", "ready_output",
	"timeout", "ready_async", "process_exit", "stop_select", "emergency_close",
};

struct static_nif {
	uint64_t init;
	int32_t taint, pad;
	uint64_t module;
	uint64_t entry; /* 0: not loaded */
};

struct nif_entry {
	int32_t major, minor;
	uint64_t name;
	int32_t count, pad;
	uint64_t functions;
};

struct nif_function {
	uint64_t name;
	uint32_t arity, pad;
	uint64_t address;
	uint32_t flags, pad2;
};

struct reader {
	const struct target *target;
	uint64_t moved; /* difference between process and file addresses */
	struct native_list *list;
};

static int read_at(const struct reader *r, uint64_t address, void *buf, size_t size)
{
	return procfs_memory(r->target->pid, address, buf, size);
}

#define BLOCK 16 /* bytes per read; an aligned block is in one page */

/* Reads a name, cut to the buffer. False: unreadable. */
static bool read_name(const struct reader *r, uint64_t address, char name[WORD_SIZE])
{
	size_t done = 0;

	while (done < WORD_SIZE - 1) {
		size_t size = BLOCK - (address + done) % BLOCK;

		if (size > WORD_SIZE - 1 - done)
			size = WORD_SIZE - 1 - done;
		if (read_at(r, address + done, name + done, size))
			return false;
		if (memchr(name + done, '\0', size))
			return name[0] != '\0';
		done += size;
	}
	name[done] = '\0';
	return true;
}

static int begin(struct reader *r, const struct target *target, const char *symbol_name, uint64_t *address)
{
	const struct image_symbol *symbol = image_symbol(target->vm->image, symbol_name);
	int err = symbol ? target_address(target, symbol->address, address) : -ENOENT;

	r->target = target;
	r->moved = err ? 0 : *address - symbol->address;
	return err;
}

static int add(struct reader *r, const char *name, uint64_t address)
{
	struct native_list *list = r->list;
	struct native *native;

	if (list->count >= MAX_NATIVES)
		return -E2BIG;
	if (!array_has_room(list->natives, list->count))
		return -ENOMEM;
	native = &list->natives[list->count++];
	snprintf(native->name, sizeof(native->name), "%s", name);
	native->address = address - r->moved;
	return 0;
}

/* Adds the driver's name to an existing entry with this callback; false: there is none. */
static bool join(const struct reader *r, const char *driver, const char *callback, uint64_t address)
{
	for (size_t i = 0; i < r->list->count; i++) {
		struct native *native = &r->list->natives[i];
		const char *colon = strchr(native->name, ':');
		char joined[NATIVE_NAME_SIZE];

		if (native->address != address - r->moved || !colon || strcmp(colon + 1, callback))
			continue;
		if (snprintf(joined, sizeof(joined), "%s+%s", driver, native->name) < (int)sizeof(joined))
			strcpy(native->name, joined);
		return true;
	}
	return false;
}

static int add_driver(struct reader *r, const struct driver *driver)
{
	char driver_name[WORD_SIZE], name[NATIVE_NAME_SIZE];
	int err = 0;

	if (!read_name(r, driver->name, driver_name))
		return 0;
	for (size_t i = 0; !err && i < sizeof(callback_names) / sizeof(*callback_names); i++) {
		if (!driver->callbacks[i] || join(r, driver_name, callback_names[i], driver->callbacks[i]))
			continue;
		snprintf(name, sizeof(name), "%s:%s", driver_name, callback_names[i]);
		err = add(r, name, driver->callbacks[i]);
	}
	return err;
}

/* The description of a driver (ErlDrvEntry in erl_driver.h), from which the VM makes struct driver. */
struct driver_entry {
	uint64_t init, start, stop, output, ready_input, ready_output, name, finish, handle, control, timeout, outputv,
		ready_async, flush, call, event, mark, version, handle2, process_exit, stop_select, emergency_close;
};

static void add_entry(struct reader *r, const struct driver_entry *e)
{
	const struct driver driver = {
		.name = e->name,
		.callbacks = { e->start, e->stop, e->finish, e->flush, e->output, e->outputv, e->control, e->call,
			       e->ready_input, e->ready_output, e->timeout, e->ready_async, e->process_exit,
			       e->stop_select, e->emergency_close },
	};

	add_driver(r, &driver);
}

/*
 * Drivers that open_port() uses without a lookup by name. OTP 27 has no vanilla_driver. In a VM that hides its data,
 * only their descriptions are reliably found.
 */
static void add_known_drivers(struct reader *r, const struct target *target)
{
	static const char *const symbols[][2] = {
		{ "spawn_driver", "spawn_driver_entry" },
		{ "forker_driver", "forker_driver_entry" },
		{ "fd_driver", "fd_driver_entry" },
		{ "vanilla_driver", "vanilla_driver_entry" },
	};
	struct driver_entry entry;
	struct driver driver;
	uint64_t at;

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		if (!begin(r, target, symbols[i][0], &at) && !read_at(r, at, &driver, sizeof(driver)))
			add_driver(r, &driver);
		else if (!begin(r, target, symbols[i][1], &at) && !read_at(r, at, &entry, sizeof(entry)))
			add_entry(r, &entry);
	}
}

static int add_drivers(struct reader *r, const struct target *target)
{
	struct driver driver;
	uint64_t at;
	int err;

	add_known_drivers(r, target);
	err = begin(r, target, "driver_list", &at);
	if (!err)
		err = read_at(r, at, &at, sizeof(at));
	for (int i = 0; !err && at && i < MAX_DRIVERS; i++) {
		err = read_at(r, at, &driver, sizeof(driver));
		if (!err)
			err = add_driver(r, &driver);
		at = driver.next;
	}
	return err;
}

/* A function with several arities is listed once: "nif_connect/3+1". False: not listed yet. */
static bool join_arity(const struct reader *r, const struct nif_function *f)
{
	for (size_t i = 0; i < r->list->count; i++) {
		struct native *native = &r->list->natives[i];
		size_t n;

		if (native->address != f->address - r->moved)
			continue;
		n = strlen(native->name);
		snprintf(native->name + n, sizeof(native->name) - n, "+%u", f->arity);
		return true;
	}
	return false;
}

static int add_module(struct reader *r, const struct nif_entry *entry)
{
	char module[WORD_SIZE], function[WORD_SIZE], name[NATIVE_NAME_SIZE];
	struct nif_function f;
	int err = 0;

	if (!read_name(r, entry->name, module))
		return 0;
	for (int i = 0; !err && i < entry->count && i < MAX_FUNCTIONS; i++) {
		err = read_at(r, entry->functions + (uint64_t)i * sizeof(f), &f, sizeof(f));
		if (err || join_arity(r, &f) || !read_name(r, f.name, function))
			continue;
		snprintf(name, sizeof(name), "%s:%s/%u", module, function, f.arity);
		err = add(r, name, f.address);
	}
	return err;
}

static int add_modules(struct reader *r, const struct target *target)
{
	struct static_nif nif = {};
	struct nif_entry entry;
	uint64_t at;
	int err = begin(r, target, "erts_static_nif_tab", &at);

	for (int i = 0; !err && i < MAX_MODULES; i++, at += sizeof(nif)) {
		err = read_at(r, at, &nif, sizeof(nif));
		if (err || !nif.init)
			break;
		if (nif.entry && !read_at(r, nif.entry, &entry, sizeof(entry)))
			err = add_module(r, &entry);
	}
	return err;
}

void native_list_of(const struct target *target, struct native_list *list)
{
	*list = (struct native_list){ .target = target };
}

/* Unreadable entries are skipped. */
void native_list_read(struct native_list *list)
{
	struct reader r = { .list = list };

	if (list->is_read)
		return;
	list->is_read = true;
	if (!add_drivers(&r, list->target))
		add_modules(&r, list->target);
}

void native_list_free(struct native_list *list)
{
	free(list->natives);
	*list = (struct native_list){};
}

static bool has_module(const struct native_list *list, const char *module)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!strncmp(list->natives[i].name, module, strlen(module)))
			return true;
	}
	return false;
}

bool native_list_is_ready(const struct target *target)
{
	struct native_list list;
	bool is_ready;

	if (!image_symbol(target->vm->image, "prim_socket_nif_init"))
		return true;
	/* Modules are loaded after drivers, and these two are in every VM. */
	native_list_of(target, &list);
	native_list_read(&list);
	is_ready = has_module(&list, "prim_file:") && has_module(&list, "prim_socket:");
	native_list_free(&list);
	return is_ready;
}
