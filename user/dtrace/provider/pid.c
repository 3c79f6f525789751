// SPDX-License-Identifier: BSD-2-Clause
/*
 * The provider pidPID: functions of any process, by the symbols of its mapped files. A probe is the entry or the return
 * of a function, or the instruction at an offset ("1c"). A probe in the middle of an instruction would corrupt the
 * process. The start of a function is taken from the symbols; an offset is accepted only if the instructions before it
 * can be decoded (probe/code/instruction.c). A return probe replaces the return address, so functions that inspect it,
 * or return in another way, have none here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dtrace/provider/matching.h"
#include "dtrace/provider/provider.h"
#include "dtrace/symbols/objects.h"
#include "probe/code/instruction.h"
#include "probe/functions.h"
#include "probe/prototype.h"

#define MAX_INSTRUCTIONS 10000 /* in one function */
#define OFFSET_SIZE 20	       /* of its text */

/* The mapped files of a process. */
struct os_process {
	pid_t pid;
	struct objects *objects;
	size_t known; /* index of the first object not known at the last scan */
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

static struct os_process *process_of(struct probes *probes, pid_t pid)
{
	struct os_process *first = probes_kept(probes, PROVIDER_PID), *process = first;

	while (process && process->pid != pid)
		process = process->next;
	if (process || probes_enter_child(probes, pid))
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

/* The part of a description that concerns functions. */
struct search {
	struct probes *probes;
	const struct probe_spec *spec;
	pid_t pid;
	struct mapped_object *object;
	bool is_exact;		       /* the function is named: report its errors */
	bool has_object, has_function; /* found so far */
	const char *module;	       /* module name for probes */
	bool is_absolute;	       /* the function is "-": an address in the process */
};

/*
 * Two numbers identify a probe. The first has few values, so places in functions share one, and the second number
 * identifies the place.
 */
static void set_numbers(const struct search *s, struct d_probe *probe)
{
	bool is_place = probe->hook == HOOK_PID_OFFSET;
	char text[512];

	snprintf(text, sizeof(text), "pid:%s:%s", s->module, is_place ? "+" : probe->names.name);
	probe->number = probes_number(s->probes, text);
	snprintf(text, sizeof(text), "%s+%s", probe->names.function, probe->names.name);
	probe->function = function_number(is_place ? text : probe->names.function);
}

static int add(const struct search *s, const struct object_function *f, const char *name, enum d_hook hook,
	       uint64_t offset)
{
	char provider[32], text[512];
	struct d_probe probe = {
		.names = { 0, provider, s->module, s->is_absolute ? "-" : f->symbol->name, name },
		.hook = hook,
		.pid = s->pid,
		.object = s->object,
		.offset = f->offset + offset,
	};
	const struct d_probe *made;

	snprintf(provider, sizeof(provider), "pid%d", s->pid);
	set_numbers(s, &probe);
	if (!probe.number || !probe.function) {
		probes_explain(s->probes, "too many different probes of the provider pid");
		return 0;
	}
	made = probes_add(s->probes, &probe);
	/* Another static function of that name. */
	if (made && made->offset != probe.offset) {
		snprintf(text, sizeof(text), "%s@%llx+%s", f->symbol->name, (unsigned long long)f->offset,
			 hook == HOOK_PID_OFFSET ? name : "");
		probe.function = function_number(text);
		made = probe.function ? probes_add(s->probes, &probe) : made;
	}
	return made ? 0 : -ENOMEM;
}

/* True for a VM, whose functions are known (probe/prototype.c). */
static bool is_vm(const struct mapped_object *object)
{
	return object->is_main && !strncmp(object->name, "beam", strlen("beam"));
}

/* The reason why its return cannot be probed, NULL if it can. */
static const char *why_no_return(const struct mapped_object *object, const char *function)
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
	return is_vm(object) ? function_no_return(function, &is_certain) : NULL;
}

static int add_return(const struct search *s, const struct object_function *f)
{
	const char *why = why_no_return(s->object, f->symbol->name);

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

struct pattern {
	struct search *search;
	const struct object_function *function;
	size_t count;
};

static bool is_meant(const struct pattern *pattern, uint64_t offset, char name[OFFSET_SIZE])
{
	const struct search *s = pattern->search;

	snprintf(name, OFFSET_SIZE, "%llx", (unsigned long long)offset);
	return glob_matches(s->spec->name, name) &&
	       instruction_can_be_probed(s->object->image, pattern->function->symbol->address + offset);
}

static int count_instruction(void *data, uint64_t offset)
{
	struct pattern *pattern = data;
	char name[OFFSET_SIZE];

	pattern->count += is_meant(pattern, offset, name);
	return 0;
}

static int add_instruction(void *data, uint64_t offset)
{
	const struct pattern *pattern = data;
	char name[OFFSET_SIZE];

	if (!is_meant(pattern, offset, name))
		return 0;
	return add(pattern->search, pattern->function, name, HOOK_PID_OFFSET, offset);
}

static int each_instruction(struct pattern *pattern, int (*visit)(void *data, uint64_t offset))
{
	const struct image_symbol *symbol = pattern->function->symbol;
	int err = instruction_each(pattern->search->object->image, symbol->address, symbol->size, visit, pattern);

	return err == -ENOENT ? 0 : err;
}

/*
 * An offset pattern, or a missing name, needs a named function: probes on each instruction of a file are never
 * intended.
 */
static int add_instructions(struct search *s, const struct object_function *f)
{
	struct pattern pattern = { s, f, 0 };
	int err = each_instruction(&pattern, count_instruction);

	if (!err && pattern.count <= MAX_INSTRUCTIONS)
		return each_instruction(&pattern, add_instruction);
	if (!err || err == -E2BIG)
		probes_refuse(s->probes, "D_PROC_OFF", "more than %d instructions of %s match", MAX_INSTRUCTIONS,
			      f->symbol->name);
	return err == -E2BIG ? 0 : err;
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
	if (!err && s->is_exact && glob_is_open(s->spec->name))
		err = add_instructions(s, f);
	return err;
}

/* A fully named function matches any of its aliases. */
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

/* Nothing matched: reports the first part that does not exist. */
static void explain(const struct search *s)
{
	const struct probe_spec *spec = s->spec;

	if (!is_name(spec->name))
		probes_refuse(s->probes, "D_PROC_NAME", "%s is not the name of a probe of a function", spec->name);
	else if (!s->has_object && !glob_is_open(spec->module))
		probes_refuse(s->probes, "D_PDESC_ZERO", "process %d has not mapped a file named %s", s->pid,
			      spec->module);
	else if (!s->has_function && !glob_is_open(spec->function))
		probes_refuse(s->probes, "D_PROC_FUNC", "process %d has no function named %s", s->pid, spec->function);
}

/*
 * The object at an address of the process. For an unmapped address in a position-independent executable it is a file
 * address, as objdump(1) shows it, because the load address differs in each process.
 */
static struct mapped_object *object_at_address(const struct os_process *process, uint64_t address, uint64_t *place)
{
	struct mapped_object *object = objects_at(process->objects, address, place);

	for (size_t i = 0; !object && i < objects_count(process->objects); i++) {
		struct mapped_object *candidate = objects_get(process->objects, i);

		if (!object_is_named(candidate, "a.out"))
			continue;
		object_read(candidate);
		if (candidate->image && !image_code_offset(candidate->image, address, place))
			object = candidate;
	}
	return object;
}

/* "-": the name is an address in the process, where an instruction of a function begins. */
static int find_address(struct search *s, const struct os_process *process)
{
	const struct object_function *f;
	uint64_t address, place;

	s->has_object = s->has_function = s->is_exact = s->is_absolute = true;
	if (*s->spec->module && strcmp(s->spec->module, "a.out") != 0) {
		probes_refuse(s->probes, "D_PROC_LIB", "the function - needs the module a.out");
		return 0;
	}
	if (glob_is_open(s->spec->name)) {
		probes_refuse(s->probes, "D_PROC_NAME", "the function - needs the address of an instruction");
		return 0;
	}
	s->object = parse_offset(s->spec->name, &address) ? object_at_address(process, address, &place) : NULL;
	f = s->object ? object_function_at(s->object, place) : NULL;
	if (!f) {
		probes_refuse(s->probes, "D_PROC_OFF", "no function of process %d has the address %s", s->pid,
			      s->spec->name);
		return 0;
	}
	s->module = s->object->name;
	return add_offset(s, f, place - f->offset);
}

/* In the mapped files, from that object on. */
static int find_from(struct search *s, const struct os_process *process, size_t first)
{
	int err = 0;

	for (size_t i = first; !err && i < objects_count(process->objects); i++) {
		s->object = objects_get(process->objects, i);
		if (!object_is_named(s->object, s->spec->module))
			continue;
		s->has_object = true;
		err = find_in(s);
	}
	return err;
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
	if (process)
		err = !strcmp(spec->function, "-") ? find_address(&s, process) : find_from(&s, process, 0);
	if (process && !err)
		explain(&s);
	return err;
}

static bool may_load(const struct probe_spec *spec)
{
	pid_t pid = provider_pid_of(spec->provider, "pid");

	return pid && pid != getpid() && strcmp(spec->module, "a.out") != 0;
}

static int discover_loaded(struct probes *probes, const struct probe_spec *spec, pid_t pid)
{
	struct search s = { .probes = probes, .spec = spec, .pid = provider_pid_of(spec->provider, "pid") };
	const struct os_process *process;

	process = !pid || pid == s.pid ? process_of(probes, s.pid) : NULL;
	return process ? find_from(&s, process, process->known) : 0;
}

/* The process may have ended. */
static int look_again(struct probes *probes, pid_t pid)
{
	struct os_process *process = probes_kept(probes, PROVIDER_PID);
	int err = 0;

	for (; process && err != -ENOMEM; process = process->next) {
		if (pid && pid != process->pid)
			continue;
		process->known = objects_count(process->objects);
		err = objects_update(process->objects);
	}
	return err == -ENOMEM ? err : 0;
}

const struct provider provider_pid = {
	.discover = discover,
	.may_load = may_load,
	.look_again = look_again,
	.discover_loaded = discover_loaded,
};
