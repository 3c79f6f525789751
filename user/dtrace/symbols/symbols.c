// SPDX-License-Identifier: BSD-2-Clause
#include "dtrace/symbols/symbols.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "d/types/kernel_symbols.h"
#include "dtrace/symbols/objects.h"
#include "erl.h"
#include "node/atoms/atoms.h"
#include "node/code/code.h"
#include "node/code/lines.h"
#include "node/names/naming.h"
#include "node/atoms/pids.h"
#include "node/terms/terms.h"
#include "target/target.h"

#define SCAN_INTERVAL_NS NS_PER_S	 /* interval for scanning mapped files */
#define CODE_INTERVAL_NS (10 * NS_PER_S) /* interval for reading code: that of a node takes some 100 MB */
#define MAX_READ_SHARE 8		 /* reading can use one eighth of a CPU */
#define MAX_PROCESSES 256
#define ERLANG_MODULE "erts"

struct os_process {
	pid_t pid;
	struct objects *objects; /* NULL: not readable */
	uint64_t looked_ns;
	bool is_kept;	       /* it was scanned in advance */
	uint64_t asked_ns;     /* time of the last test for being a BEAM */
	struct target *target; /* NULL: not a BEAM */
	struct erl_pid_layout pids;
	struct naming *naming;
	struct code_list code; /* for lines, if wanted; and the time of reading */
	struct line_list *lines;
	struct atoms *atoms;
	uint64_t code_ns;
	uint64_t kept_ns, keep_ns; /* start of regular updates, and time of the next one */
	struct os_process *next;
};

/* The first address seen in a module. */
struct module {
	pid_t pid; /* 0: the kernel */
	uint64_t address;
	struct module *next;
	char name[];
};

struct symbols {
	struct module *modules;
	struct os_process *processes; /* most recently used first */
	size_t process_count;
	bool without_users;
	bool is_kernel_read;
	struct kernel_symbols *kernel, *own_kernel; /* own: to be freed */
};

/* The result. */
struct symbol_place {
	char module[256];
	char function[NAME_SIZE];
	uint64_t offset; /* in the function */
	bool is_erlang;
};

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_without_users(struct symbols *symbols)
{
	symbols->without_users = true;
}

static void free_code(struct os_process *process)
{
	line_list_free(process->lines);
	code_list_free(&process->code);
	process->lines = NULL;
}

static void free_process(struct os_process *process)
{
	free_code(process);
	atoms_free(process->atoms);
	naming_free(process->naming);
	if (process->target)
		target_free(process->target);
	objects_free(process->objects);
	free(process);
}

static void forget_processes(struct symbols *symbols, bool also_kept)
{
	struct os_process **at = &symbols->processes;

	while (*at) {
		struct os_process *process = *at;

		if (process->is_kept && !also_kept) {
			at = &process->next;
			continue;
		}
		*at = process->next;
		free_process(process);
		symbols->process_count--;
	}
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (struct module *module = symbols->modules, *next; module; module = next) {
		next = module->next;
		free(module);
	}
	forget_processes(symbols, true);
	kernel_symbols_free(symbols->own_kernel);
	free(symbols);
}

/* Processes. */

static struct os_process *process_of(struct symbols *symbols, pid_t pid)
{
	struct os_process *process = symbols->processes;

	while (process && process->pid != pid)
		process = process->next;
	if (process)
		return process;
	if (symbols->process_count >= MAX_PROCESSES)
		forget_processes(symbols, false);
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->next = symbols->processes;
	symbols->processes = process;
	symbols->process_count++;
	return process;
}

/*
 * Reads the mapped files, at first and when an address is not in them. Finding the functions of a stripped VM takes
 * long, so known files are not read again.
 */
static void look(struct os_process *process)
{
	uint64_t now = duration_now();
	struct objects *objects;

	if (process->looked_ns && now - process->looked_ns < SCAN_INTERVAL_NS)
		return;
	process->looked_ns = now;
	if (process->objects) {
		objects_update(process->objects);
		return;
	}
	objects = objects_open(process->pid);
	/* An ended process maps nothing. */
	if (objects && objects_count(objects))
		process->objects = objects;
	else
		objects_free(objects);
}

/* A command becomes a BEAM by exec, and has its tables later: test again. */
static bool may_ask(struct os_process *process)
{
	uint64_t now = duration_now();

	if (process->asked_ns && (process->naming || !process->is_kept || now - process->asked_ns < SCAN_INTERVAL_NS))
		return false;
	process->asked_ns = now;
	return true;
}

static struct naming *naming_of(struct os_process *process)
{
	const char *why;

	if (!may_ask(process))
		return process->naming;
	if (process->target)
		target_free(process->target);
	if (target_open(process->pid, &process->target, &why)) {
		process->target = NULL;
		return NULL;
	}
	if (!pid_layout_read(process->target, &process->pids))
		process->naming = naming_new(process->target, &process->pids);
	return process->naming;
}

void symbols_look(struct symbols *symbols, pid_t pid)
{
	struct os_process *process = process_of(symbols, pid);

	if (!process)
		return;
	process->is_kept = true;
	look(process);
	naming_of(process);
}

static struct mapped_object *find_object(struct os_process *process, uint64_t address, uint64_t *offset)
{
	struct mapped_object *object = process->objects ? objects_at(process->objects, address, offset) : NULL;

	if (object || (process->objects && objects_is_anonymous(process->objects, address)))
		return object;
	look(process);
	return process->objects ? objects_at(process->objects, address, offset) : NULL;
}

static bool found_erlang(struct symbol_place *place, uint64_t offset)
{
	snprintf(place->module, sizeof(place->module), ERLANG_MODULE);
	place->offset = offset;
	place->is_erlang = true;
	return true;
}

/* From the saved code of an ended process, which may still be a zombie. */
static bool find_kept(struct os_process *process, uint64_t address, struct symbol_place *place)
{
	const struct code_function *f = code_list_at(&process->code, address);

	if (!f ||
	    !naming_of_id(process->naming, erl_id_of_mfa(atom_term(f->module), atom_term(f->name), f->arity),
			  place->function) ||
	    code_is_of_jit(place->function))
		return false;
	return found_erlang(place, address - f->start);
}

static bool find_erlang(struct os_process *process, uint64_t address, struct symbol_place *place)
{
	struct naming *naming = naming_of(process);
	uint64_t mfa[3], start;

	if (!naming)
		return false;
	if (!target_is_alive(process->target))
		naming_end(naming);
	else if (!code_function_at(process->target, address, mfa, &start) && start <= address &&
		 naming_of_id(naming, erl_id_of(ERL_ID_CODE, address), place->function))
		return found_erlang(place, address - start);
	return find_kept(process, address, place);
}

/* Lines of Erlang code. */

static void read_code(struct os_process *process)
{
	struct code_list code;

	process->code_ns = duration_now();
	if (!process->atoms)
		process->atoms = atoms_new(process->target);
	if (code_list_read(process->target, &code))
		return;
	free_code(process);
	process->code = code;
	process->lines = line_list_read(process->target, &process->code);
}

/* Reads names and files of all functions, because an ended process cannot be read. */
static void fetch_texts(struct os_process *process)
{
	const struct code_list *code = &process->code;
	uint32_t *atoms = calloc(code->count + 1, 2 * sizeof(*atoms));

	if (!atoms)
		return;
	for (size_t i = 0; i < code->count; i++) {
		atoms[i] = code->functions[i].module;
		atoms[code->count + i] = code->functions[i].name;
	}
	naming_fetch(process->naming, atoms, 2 * code->count);
	if (process->atoms)
		atoms_fetch(process->atoms, atoms, code->count);
	free(atoms);
}

/* The time to read the code, without one-time initialization. */
static uint64_t keep_up(struct os_process *process)
{
	uint64_t begin;

	process->looked_ns = 0;
	look(process);
	if (!process->naming)
		process->asked_ns = 0;
	if (!naming_of(process) || !target_is_alive(process->target))
		return 0;
	begin = duration_now();
	read_code(process);
	fetch_texts(process);
	return duration_now() - begin;
}

/* A new process loads most of its code early: read it again when its age has grown by half, if that is fast enough. */
void symbols_keep_up(struct symbols *symbols, pid_t pid)
{
	struct os_process *process = process_of(symbols, pid);
	uint64_t now = duration_now(), took_ns, wait_ns;

	if (!process || now < process->keep_ns)
		return;
	process->is_kept = true;
	if (!process->kept_ns)
		process->kept_ns = now;
	wait_ns = (now - process->kept_ns) / 2;
	took_ns = keep_up(process);
	process->keep_ns = now + (took_ns * MAX_READ_SHARE > wait_ns ? took_ns * MAX_READ_SHARE : wait_ns);
}

/* The function that begins there. Code loaded later is read, but not too often. */
static const struct code_function *function_at(struct os_process *process, uint64_t start)
{
	for (;;) {
		const struct code_function *f = code_list_at(&process->code, start);

		if (f && f->start == start)
			return f;
		if (process->code_ns && duration_now() - process->code_ns < CODE_INTERVAL_NS)
			return NULL;
		read_code(process);
	}
}

/* " (lists.erl:1342)"; "": unknown. */
static void line_text(struct os_process *process, uint64_t start, uint64_t address, char *buf, size_t size)
{
	const struct code_function *f = function_at(process, start);
	struct code_line line;
	const char *file;
	size_t length;

	*buf = '\0';
	if (!f || f->is_nif || !line_list_at(process->lines, f, address, &line))
		return;
	file = line.is_module && process->atoms ? atoms_bytes(process->atoms, f->module, &length) : line.file;
	if (file)
		snprintf(buf, size, " (%s%s:%u)", file, line.is_module ? ".erl" : "", line.line);
}

/* Without the JIT, Erlang code is data, at any address. */
static bool is_code_data(struct os_process *process)
{
	return naming_of(process) && process->target->vm->flavor == FLAVOR_EMU;
}

/* Memory without an ELF file: the VM knows the code of its JIT, in anonymous memory or a memfd. */
static bool may_be_made(struct os_process *process, struct mapped_object *object, uint64_t address)
{
	if (!object)
		return (process->objects && objects_is_anonymous(process->objects, address)) || is_code_data(process);
	object_read(object);
	return !object->image;
}

static bool find_user(struct symbols *symbols, pid_t pid, uint64_t address, struct symbol_place *place)
{
	struct os_process *process = process_of(symbols, pid);
	const struct object_function *f;
	struct mapped_object *object;
	uint64_t offset;

	if (!process)
		return false;
	object = find_object(process, address, &offset);
	if (may_be_made(process, object, address) && find_erlang(process, address, place))
		return true;
	if (!object)
		return false;
	/* Outside functions: shared code. */
	snprintf(place->module, sizeof(place->module), "%s",
		 !object->image && naming_of(process) ? ERLANG_MODULE : object->name);
	f = object_function_at(object, offset);
	if (f) {
		snprintf(place->function, sizeof(place->function), "%s", f->symbol->name);
		place->offset = offset - f->offset;
	}
	return true;
}

/* The kernel. */

static struct kernel_symbols *kernel_of(struct symbols *symbols)
{
	if (!symbols->is_kernel_read && kernel_symbols_read(NULL, &symbols->own_kernel) == 0)
		symbols->kernel = symbols->own_kernel;
	symbols->is_kernel_read = true;
	return symbols->kernel;
}

void symbols_with_kernel(struct symbols *symbols, struct kernel_symbols *kernel)
{
	symbols->kernel = kernel;
	symbols->is_kernel_read = true;
}

bool symbols_kernel_function(struct symbols *symbols, const char *name, uint64_t *address, uint64_t *size)
{
	struct kernel_symbols *kernel = kernel_of(symbols);
	struct kernel_code code;

	if (!kernel || !kernel_symbols_function(kernel, name, &code) || !code.size)
		return false;
	*address = code.address;
	*size = code.size;
	return true;
}

static bool find_kernel(struct symbols *symbols, uint64_t address, struct symbol_place *place)
{
	struct kernel_symbols *kernel = kernel_of(symbols);
	struct kernel_code code;

	if (!kernel || !kernel_symbols_at(kernel, address, &code))
		return false;
	snprintf(place->module, sizeof(place->module), "%s", code.module);
	snprintf(place->function, sizeof(place->function), "%s", code.name);
	place->offset = address - code.address;
	return true;
}

/* True for the exact symbol instead of the enclosing function. */
static bool is_address(enum field_symbol kind)
{
	return kind == SYMBOL_UADDR || kind == SYMBOL_UPLACE || kind == SYMBOL_UCALLER || kind == SYMBOL_KADDR;
}

static void format(const struct symbol_place *place, uint64_t address, enum field_symbol kind, char *buf, size_t size)
{
	bool wants_offset = is_address(kind);

	if (kind == SYMBOL_UMOD || kind == SYMBOL_KMOD)
		snprintf(buf, size, "%s", place->module);
	else if (!place->function[0])
		snprintf(buf, size, "%s`0x%" PRIx64, place->module, address);
	else if (wants_offset && place->offset)
		snprintf(buf, size, "%s`%s+0x%" PRIx64, place->module, place->function, place->offset);
	else
		snprintf(buf, size, "%s`%s", place->module, place->function);
}

static bool find_place(struct symbols *symbols, pid_t pid, uint64_t address, enum field_symbol kind,
		       struct symbol_place *place)
{
	bool is_kernel = kind == SYMBOL_KADDR || kind == SYMBOL_KSYM || kind == SYMBOL_KMOD;

	if (is_kernel)
		return find_kernel(symbols, address, place);
	return !symbols->without_users && find_user(symbols, pid, address, place);
}

static uint64_t module_start(struct symbols *symbols, pid_t pid, const char *name, uint64_t address)
{
	struct module *module = symbols->modules;

	while (module && (module->pid != pid || strcmp(module->name, name)))
		module = module->next;
	if (module)
		return module->address;
	module = malloc(sizeof(*module) + strlen(name) + 1);
	if (!module)
		return address;
	module->pid = pid;
	module->address = address;
	strcpy(module->name, name);
	module->next = symbols->modules;
	symbols->modules = module;
	return address;
}

uint64_t symbols_start(struct symbols *symbols, pid_t pid, uint64_t address, enum field_symbol kind)
{
	struct symbol_place place = {};

	if (is_address(kind) || !find_place(symbols, pid, address, kind, &place))
		return address;
	if (kind == SYMBOL_UMOD || kind == SYMBOL_KMOD)
		return module_start(symbols, kind == SYMBOL_KMOD ? 0 : pid, place.module, address);
	return place.function[0] ? address - place.offset : address;
}

void symbols_text(struct symbols *symbols, pid_t pid, uint64_t address, enum field_symbol kind, char *buf, size_t size)
{
	struct symbol_place place = {};
	size_t used;

	if (find_place(symbols, pid, address, kind, &place))
		format(&place, address, kind, buf, size);
	else
		snprintf(buf, size, "0x%" PRIx64, address);
	if (!place.is_erlang || (kind != SYMBOL_UPLACE && kind != SYMBOL_UCALLER))
		return;
	used = strlen(buf);
	line_text(process_of(symbols, pid), address - place.offset, address - (kind == SYMBOL_UCALLER), buf + used,
		  size - used);
}

void symbols_term(struct symbols *symbols, pid_t pid, const struct term_snapshot *snapshot, char *buf, size_t size)
{
	struct os_process *process = process_of(symbols, pid);
	struct naming *naming = process ? naming_of(process) : NULL;

	buf[0] = '\0';
	if (naming)
		terms_show(naming_terms(naming), snapshot, buf, size);
}
