// SPDX-License-Identifier: BSD-2-Clause
/*
 * The provider pidPID: functions of any process, by the symbols of the files that it has mapped. A probe is
 * its function's entry, its return, or an instruction in it by its offset ("1c").
 *
 * A probe where no instruction begins would corrupt the process. What symbols say of a function's beginning
 * is believed; an offset is believed only where the instructions before it can be read (probe/instruction.c). A
 * return is probed by replacing the return address, so functions that look at it, or that do not return as
 * they were called, have no return here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dtrace/provider/matching.h"
#include "dtrace/provider/objects.h"
#include "dtrace/provider/provider.h"
#include "probe/functions.h"
#include "probe/instruction.h"
#include "probe/prototype.h"
#include "run/child.h"

/* What a process has mapped. */
struct os_process {
	pid_t pid;
	struct objects *objects;
	struct os_process *next;
};

static void end(void *data)
{
	for (struct os_process *process = data, *next; process; process = next) {
		next = process->next;
		objects_free(process->objects);
		free(process);
	}
}

/* A command that is held has mapped nothing of its own yet: it goes to its first instruction first. */
static int enter_child(struct probes *probes, pid_t pid)
{
	struct child *child = probes_child(probes);
	int err;

	if (!child || child_pid(child) != pid)
		return 0;
	err = child_enter(child);
	if (err)
		probes_explain(probes, "cannot start the command: %s", strerror(-err));
	return err;
}

static struct os_process *process_of(struct probes *probes, pid_t pid)
{
	struct os_process *first = probes_kept(probes, PROVIDER_PID), *process = first;

	while (process && process->pid != pid)
		process = process->next;
	if (process || enter_child(probes, pid))
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->pid = pid;
	process->objects = objects_open(pid);
	if (!process->objects) {
		probes_refuse(probes, "D_PROC_GRAB", "cannot read process %d: %s", pid, strerror(errno));
		free(process);
		return NULL;
	}
	process->next = first;
	probes_keep(probes, PROVIDER_PID, process, end);
	return process;
}

/* What a description asks for of each function. */
struct search {
	struct probes *probes;
	const struct probe_spec *spec;
	pid_t pid;
	struct mapped_object *object;
	bool is_exact;		       /* the function is named: then what is wrong with it is told */
	bool has_object, has_function; /* that was named */
	const char *module;	       /* as probes are to be named */
};

static int add(const struct search *s, const struct object_function *f, const char *name, enum d_hook hook,
	       uint64_t offset)
{
	char provider[32], text[512];
	struct d_probe probe = {
		.names = { 0, provider, s->module, f->symbol->name, name },
		.hook = hook,
		.pid = s->pid,
		.object = s->object,
		.offset = f->offset + offset,
	};
	const struct d_probe *made;

	snprintf(provider, sizeof(provider), "pid%d", s->pid);
	snprintf(text, sizeof(text), "pid:%s:%s", s->module, name);
	probe.number = probes_number(s->probes, text);
	probe.function = function_number(f->symbol->name);
	if (!probe.number || !probe.function) {
		probes_explain(s->probes, "too many different probes of the provider pid");
		return 0;
	}
	made = probes_add(s->probes, &probe);
	/* Another static function of that name. */
	if (made && made->offset != probe.offset) {
		snprintf(text, sizeof(text), "%s@%llx", f->symbol->name, (unsigned long long)f->offset);
		probe.function = function_number(text);
		made = probe.function ? probes_add(s->probes, &probe) : made;
	}
	return made ? 0 : -ENOMEM;
}

/* Why its return may not be probed, NULL if it may. */
static const char *why_no_return(const char *function)
{
	static const char *const never[] = {
		"_start",
		"_dl_start",
		"_dl_start_user",
		"_dl_runtime_resolve",
		"_dl_runtime_resolve_xsave",
		"_dl_runtime_resolve_xsavec",
		"_dl_runtime_resolve_fxsave",
		"__restore_rt",
		"vfork",
		"__vfork",
		"setjmp",
		"_setjmp",
		"__sigsetjmp",
		"__sigjmp_save",
		"longjmp",
		"siglongjmp",
		"__longjmp",
		"__longjmp_chk",
		"getcontext",
		"setcontext",
		"swapcontext",
		"makecontext",
		"__start_context",
		"_Unwind_RaiseException",
		"_Unwind_Resume",
		"_Unwind_ForcedUnwind",
		"_Unwind_Backtrace",
		"__cxa_throw",
		"__cxa_rethrow",
		"__clone",
		"clone",
		"clone3",
		"__clone3",
	};
	bool is_certain;

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		if (!strcmp(function, never[i]))
			return "it does not return like a function";
	}
	return function_no_return(function, &is_certain);
}

static int add_return(const struct search *s, const struct object_function *f)
{
	const char *why = why_no_return(f->symbol->name);

	if (!why)
		return add(s, f, "return", HOOK_PID_RETURN, 0);
	if (s->is_exact)
		probes_refuse(s->probes, "D_PROC_CREATEFAIL", "the return of %s cannot be probed: %s", f->symbol->name,
			      why);
	return 0;
}

/* "1c", or "0x1c"? */
static bool parse_offset(const char *name, uint64_t *offset)
{
	char *last;

	if (!*name || strlen(name) > 12 || strspn(name, "0123456789abcdefABCDEFx") != strlen(name))
		return false;
	*offset = strtoull(name, &last, 16);
	return !*last;
}

static int add_offset(const struct search *s, const struct object_function *f, uint64_t offset)
{
	const struct image *image = s->object->image;

	if (offset >= f->symbol->size && offset) {
		if (s->is_exact)
			probes_refuse(s->probes, "D_PROC_OFF", "%s has no offset 0x%llx", f->symbol->name,
				      (unsigned long long)offset);
		return 0;
	}
	if (!instruction_begins(image, f->symbol->address, f->symbol->size, offset) ||
	    !instruction_can_be_probed(image, f->symbol->address + offset)) {
		if (s->is_exact)
			probes_refuse(s->probes, "D_PROC_ALIGN", "no instruction of %s is known to start at 0x%llx",
				      f->symbol->name, (unsigned long long)offset);
		return 0;
	}
	return add(s, f, s->spec->name, HOOK_PID_OFFSET, offset);
}

static int add_function(struct search *s, const struct object_function *f)
{
	uint64_t offset;
	int err = 0;

	s->has_function = true;
	if (!instruction_can_be_probed(s->object->image, f->symbol->address))
		return 0;
	if (parse_offset(s->spec->name, &offset))
		return add_offset(s, f, offset);
	if (glob_matches(s->spec->name, "entry"))
		err = add(s, f, "entry", HOOK_PID_ENTRY, 0);
	if (!err && glob_matches(s->spec->name, "return"))
		err = add_return(s, f);
	return err;
}

/* A function that is named whole is found by any of its names. */
static int find_exact(struct search *s)
{
	const struct image_symbol *symbol = image_symbol(s->object->image, s->spec->function);
	struct object_function f = { .symbol = symbol };

	if (!symbol || !symbol->is_function || image_code_offset(s->object->image, symbol->address, &f.offset))
		return 0;
	return add_function(s, &f);
}

static int find_in(struct search *s)
{
	int err = 0;

	object_read(s->object);
	if (!s->object->image)
		return 0;
	s->module = s->object->name;
	s->is_exact = !glob_is_open(s->spec->function);
	if (s->is_exact)
		return find_exact(s);
	for (size_t i = 0; !err && i < s->object->function_count; i++) {
		const struct object_function *f = &s->object->functions[i];

		if (glob_matches(s->spec->function, f->symbol->name))
			err = add_function(s, f);
	}
	return err;
}

static bool is_name(const char *name)
{
	uint64_t offset;

	return parse_offset(name, &offset) || glob_matches(name, "entry") || glob_matches(name, "return") ||
	       glob_is_open(name);
}

/* Nothing has been found of what was named: the first of its parts that is not there. */
static void explain(const struct search *s)
{
	const struct probe_spec *spec = s->spec;

	if (!is_name(spec->name))
		probes_refuse(s->probes, "D_PROC_NAME", "%s is not the name of a probe of a function", spec->name);
	else if (!s->has_object && !glob_is_open(spec->module))
		probes_refuse(s->probes, "D_PROC_LIB", "process %d has not mapped a file named %s", s->pid,
			      spec->module);
	else if (!s->has_function && !glob_is_open(spec->function))
		probes_refuse(s->probes, "D_PROC_FUNC", "process %d has no function named %s", s->pid, spec->function);
}

static int discover(struct probes *probes, const struct probe_spec *spec)
{
	struct search s = { .probes = probes, .spec = spec, .pid = provider_pid_of(spec->provider, "pid") };
	const struct os_process *process;
	int err = 0;

	if (provider_is_nobody(spec->provider, "pid"))
		probes_refuse(probes, "D_PROC_BADPID", "there is no process 0; $target is the process of -p or -c");
	if (!s.pid)
		return 0;
	if (s.pid == getpid()) {
		probes_explain(probes, "a process cannot trace itself");
		return 0;
	}
	process = process_of(probes, s.pid);
	for (size_t i = 0; process && !err && i < objects_count(process->objects); i++) {
		s.object = objects_get(process->objects, i);
		if (!object_is_named(s.object, spec->module))
			continue;
		s.has_object = true;
		err = find_in(&s);
	}
	if (process && !err)
		explain(&s);
	return err;
}

const struct provider provider_pid = { .discover = discover };
