// SPDX-License-Identifier: BSD-2-Clause
#include "profile/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/duration.h"
#include "base/hash.h"
#include "dtrace/symbols/objects.h"
#include "erl.h"
#include "node/atoms/atoms.h"
#include "node/code/bifs.h"
#include "node/code/code.h"
#include "node/memory/erlid.h"
#include "node/code/lines.h"
#include "node/names/naming.h"
#include "node/code/natives.h"
#include "node/atoms/pids.h"
#include "profile/called_bifs.h"
#include "profile/seen_code.h"

/* The unwind table of a file, read at the first use. */
struct tabled {
	const struct mapped_object *object;
	struct unwind_table *table;
};

/* A process and its names; "": no name. */
struct known {
	uint64_t term;
	char *name, *mfa;
	UT_hash_handle hh;
};

#define ASKED_TOGETHER 256
#define MOST_KNOWN (1u << 17)

/* An Erlang address and its function. */
struct named {
	uint64_t address;
	char *text; /* NULL: not in a function */
	char *file; /* NULL: not known */
	unsigned int line;
	enum frame_kind kind;
	bool is_sure;	/* found in the node's current code, so later code at the address does not change it */
	uint64_t start; /* nearest function then, if its module was not known yet; or 0 */
	UT_hash_handle hh;
};

#define MOST_NAMED (1u << 18)

/* The code at one time. */
struct code {
	struct code_list list;
	struct line_list *lines; /* NULL: not known */
};

struct names {
	const struct target *target;
	struct name_style style;
	struct objects *objects;
	struct tabled *tables;
	size_t table_count;
	struct erl_pid_layout pids;
	struct naming *naming;
	struct atoms *atoms;	 /* NULL: not known */
	struct code first, last; /* at the start of the profile, and now */
	struct seen_code *seen;
	struct called_bifs *called;
	const struct bif_list *bifs;
	struct native_list natives;
	struct known *known;
	uint64_t asked[ASKED_TOGETHER]; /* processes whose names are not read yet */
	size_t asked_count;
	struct named *named;
	bool is_over;		    /* the node has ended */
	bool is_behind;		    /* an address in unknown code was sampled */
	uint64_t look_ns, pause_ns; /* earliest next reading of the code for this reason, and the minimum interval */
	uint64_t change_ns;	    /* the same after a change of code */
};

#define LEAST_PAUSE_NS (250 * NS_PER_MS)
#define MOST_PAUSE_NS (16 * NS_PER_S)
#define MOST_SHARE 20 /* limit of the CPU time for reading code: 1/N of a CPU */

static int read_code(const struct target *target, struct code *code)
{
	int err = code_list_read(target, &code->list);

	code->lines = err ? NULL : line_list_read(target, &code->list);
	return err;
}

static void free_code(struct code *code)
{
	code_list_free(&code->list);
	line_list_free(code->lines);
}

/* Missing for an unknown VM, whose addresses stay without names, and for one that is still starting. */
static void make_naming(struct names *names)
{
	if (!names->naming && !pid_layout_read(names->target, &names->pids))
		names->naming = naming_new(names->target, &names->pids);
	if (names->naming)
		naming_set_style(names->naming, names->style);
}

struct names *names_new(const struct target *target, struct name_style style)
{
	struct names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->target = target;
	names->objects = objects_open(target->pid);
	names->seen = names->objects ? seen_code_new(target) : NULL;
	if (!names->seen) {
		int err = errno;

		objects_free(names->objects);
		free(names);
		errno = err;
		return NULL;
	}
	names->style = style;
	make_naming(names);
	names->atoms = atoms_new(target);
	read_code(target, &names->first);
	names->bifs = bifs_of(target);
	names->called = called_bifs_new(target, names->bifs, names->objects);
	native_list_of(target, &names->natives);
	return names;
}

static void free_known(struct names *names)
{
	struct known *known, *next;

	names->asked_count = 0;
	HASH_ITER(hh, names->known, known, next) {
		HASH_DEL(names->known, known);
		free(known->name);
		free(known->mfa);
		free(known);
	}
}

static void free_named(struct names *names)
{
	struct named *named, *next;

	HASH_ITER(hh, names->named, named, next) {
		HASH_DEL(names->named, named);
		free(named->text);
		free(named->file);
		free(named);
	}
}

void names_free(struct names *names)
{
	if (!names)
		return;
	free_named(names);
	free_known(names);
	for (size_t i = 0; i < names->table_count; i++)
		unwind_table_free(names->tables[i].table);
	free(names->tables);
	objects_free(names->objects);
	naming_free(names->naming);
	atoms_free(names->atoms);
	free_code(&names->first);
	free_code(&names->last);
	seen_code_free(names->seen);
	called_bifs_free(names->called);
	native_list_free(&names->natives);
	free(names);
}

void names_end(struct names *names)
{
	names->is_over = true;
	if (names->naming)
		naming_end(names->naming);
	if (names->atoms)
		atoms_end(names->atoms);
}

void names_turn(struct names *names)
{
	if (names->last.list.count) {
		free_code(&names->first);
		names->first = names->last;
		names->last = (struct code){};
	}
	free_named(names);
	free_known(names);
	if (names->called)
		called_bifs_forget(names->called);
	seen_code_forget(names->seen);
}

/* Erlang. */

static void name_line(struct names *names, const struct code_function *f, const struct code_line *line,
		      struct named_frame *frame)
{
	const char *text = line->file;
	size_t length;

	if (line->is_module && names->atoms)
		text = atoms_bytes(names->atoms, f->module, &length);
	frame->line = line->line;
	if (text)
		snprintf(frame->file, sizeof(frame->file), "%s%s", text, line->is_module ? ".erl" : "");
}

/* Code that was loaded later may follow the function. */
static bool is_last_of_module(const struct code_list *list, const struct code_function *f)
{
	return f + 1 == list->functions + list->count || f[1].module != f->module;
}

static bool name_mfa(const struct names *names, uint64_t module, uint64_t name, uint8_t arity,
		     struct named_frame *frame)
{
	uint64_t id = erl_id_of(ERL_ID_MFA, module << (ERL_ID_ATOM_BITS + 8) | name << 8 | arity);

	return naming_of_id(names->naming, id, frame->text) && !code_is_of_jit(frame->text);
}

/* Searches the node's memory: newer code may be nearer. */
static bool is_nearest(const struct names *names, const struct code_function *f, uint64_t address)
{
	uint64_t mfa[3], start;

	return !names->is_over && !code_function_at(names->target, address, mfa, &start) && start == f->start;
}

/* *is_sure: the node has the function there now; NULL: not checked, which would read its memory. */
static bool look_up(struct names *names, uint64_t address, struct named_frame *frame, bool *is_sure)
{
	const struct code *code = &names->last;
	const struct code_function *f;
	struct code_line line;

	f = code_list_at(&code->list, address);
	if (!f) {
		code = &names->first;
		f = code_list_at(&code->list, address);
	}
	if (is_sure)
		*is_sure = f && is_nearest(names, f, address) && seen_code_add(names->seen, &code->list, f, address);
	names->is_behind |= !f || is_last_of_module(&code->list, f) || (is_sure && !*is_sure && !names->is_over);
	if (!f || !names->naming)
		return false;
	if (!f->is_nif && line_list_at(code->lines, f, address, &line))
		name_line(names, f, &line, frame);
	frame->kind = f->is_nif ? FRAME_BIF : FRAME_ERLANG;
	return name_mfa(names, f->module, f->name, f->arity, frame);
}

/* Words before a heap address mean nothing. Without JIT, code is in the same memory. */
static bool may_be_code(const struct names *names, uint64_t address)
{
	if (names->target->vm->flavor != FLAVOR_JIT || objects_hold_code(names->objects, address))
		return true;
	/* A starting node had no tables at the first attempt. */
	objects_update(names->objects);
	return objects_hold_code(names->objects, address);
}

static bool is_behind_known(const struct names *names, uint64_t start, uint64_t address)
{
	return code_list_is_behind(&names->last.list, start, address) ||
	       code_list_is_behind(&names->first.list, start, address);
}

/* For an unknown module: reads what is before the address now. Line numbers come with the module. */
static uint64_t look_in_memory(struct names *names, uint64_t address, struct named_frame *frame)
{
	uint64_t mfa[3], start;

	if (names->is_over || !names->naming || !target_is_alive(names->target) || !may_be_code(names, address) ||
	    code_function_at(names->target, address, mfa, &start) || is_behind_known(names, start, address))
		return 0;
	seen_code_add_alone(names->seen, start);
	*frame = (struct named_frame){ .kind = FRAME_ERLANG };
	return name_mfa(names, atom_of_term(mfa[0]), atom_of_term(mfa[1]), (uint8_t)mfa[2], frame) ? start : 0;
}

static void keep_frame(struct named *named, const struct named_frame *frame)
{
	named->kind = frame->kind;
	named->line = frame->line;
	named->text = strdup(frame->text);
	named->file = *frame->file ? strdup(frame->file) : NULL;
}

/* Names the address by the current code; if that has no function there, the name stays. False: no change. */
static bool name_again(struct names *names)
{
	bool is_better = false;

	for (struct named *named = names->named; named; named = named->hh.next) {
		struct named_frame frame = {};

		if (named->is_sure || (named->start && seen_code_is_other(names->seen, named->start)) ||
		    !look_up(names, named->address, &frame, NULL))
			continue;
		if (named->text && !strcmp(named->text, frame.text) && named->line == frame.line)
			continue;
		free(named->text);
		free(named->file);
		keep_frame(named, &frame);
		is_better = true;
	}
	return is_better;
}

static bool has_unnamed(const struct names *names)
{
	for (const struct named *named = names->named; named; named = named->hh.next) {
		if (!named->text)
			return true;
	}
	return false;
}

/* The pid may be reused already. */
static bool refresh(struct names *names)
{
	struct code now;

	if (names->is_over || !target_is_alive(names->target))
		return false;
	objects_update(names->objects);
	make_naming(names);
	if (read_code(names->target, &now))
		return false;
	free_code(&names->last);
	names->last = now;
	return name_again(names);
}

void names_refresh(struct names *names)
{
	refresh(names);
}

bool names_have_changed(struct names *names)
{
	uint64_t begin = duration_now(), end;

	if (names->is_over || !target_is_alive(names->target) || !seen_code_has_changed(names->seen))
		return false;
	if (begin < names->change_ns)
		return true;
	refresh(names);
	end = duration_now();
	names->change_ns = end + (end - begin) * MOST_SHARE;
	return true;
}

void names_keep_up(struct names *names)
{
	uint64_t begin = duration_now(), end, least;
	bool is_better;

	if (!names->is_behind || begin < names->look_ns)
		return;
	is_better = refresh(names);
	/* A starting node may have more later; otherwise an address without name is in shared code. */
	names->is_behind = has_unnamed(names);
	end = duration_now();
	least = (end - begin) * MOST_SHARE;
	names->pause_ns = is_better || !names->pause_ns ? LEAST_PAUSE_NS : names->pause_ns * 2;
	if (names->pause_ns > MOST_PAUSE_NS)
		names->pause_ns = MOST_PAUSE_NS;
	names->look_ns = end + (names->pause_ns > least ? names->pause_ns : least);
}

static void keep_name(struct names *names, struct known *known, const struct name *name)
{
	char text[NAME_SIZE];

	known->name = strdup(naming_describe(names->naming, name, text));
	known->mfa = strdup(naming_call(names->naming, name, text));
}

/* One by one, each would take as many system calls as all together. */
void names_learn_now(struct names *names)
{
	struct name_request requests[ASKED_TOGETHER] = {};
	struct name found[ASKED_TOGETHER];
	struct known *known;

	for (size_t i = 0; i < names->asked_count; i++) {
		name_init(&found[i]);
		requests[i].id = pid_of_term(&names->pids, names->asked[i]);
		requests[i].name = &found[i];
	}
	if (names->asked_count && !names->is_over)
		naming_read_processes(names->naming, requests, names->asked_count);
	/* Results are in any order. */
	for (size_t i = 0; i < names->asked_count; i++) {
		uint64_t term = requests[i].is_known ? names->asked[requests[i].name - found] : 0;

		if (requests[i].is_known)
			HASH_FIND(hh, names->known, &term, sizeof(term), known);
		if (requests[i].is_known && known)
			keep_name(names, known, requests[i].name);
	}
	for (size_t i = 0; i < names->asked_count; i++)
		name_free(&found[i]);
	names->asked_count = 0;
}

void names_learn(struct names *names, uint64_t term)
{
	struct known *known;

	HASH_FIND(hh, names->known, &term, sizeof(term), known);
	if (known || !names->naming || HASH_COUNT(names->known) >= MOST_KNOWN)
		return;
	known = calloc(1, sizeof(*known));
	if (!known)
		return;
	known->term = term;
	HASH_ADD(hh, names->known, term, sizeof(term), known);
	names->asked[names->asked_count++] = term;
	if (names->asked_count == ASKED_TOGETHER)
		names_learn_now(names);
}

static const struct known *find_known(struct names *names, uint64_t term)
{
	const struct known *known;

	names_learn(names, term);
	names_learn_now(names);
	HASH_FIND(hh, names->known, &term, sizeof(term), known);
	return known;
}

void names_process(struct names *names, uint64_t term, enum names_by by, struct named_frame *frame)
{
	const struct known *known = find_known(names, term);
	const char *name = known && known->name && *known->name ? known->name : NULL;
	char pid[ERLID_SIZE];

	if (known && by == NAMES_BY_MFA)
		name = known->mfa && *known->mfa ? known->mfa : NULL;
	frame->kind = FRAME_GROUP;
	erlid_format(pid_of_term(&names->pids, term), pid);
	if (!name)
		snprintf(frame->text, sizeof(frame->text), "%s", by == NAMES_BY_PID ? pid : "ended processes");
	else if (by == NAMES_BY_PID)
		snprintf(frame->text, sizeof(frame->text), "%s %s", pid, name);
	else
		snprintf(frame->text, sizeof(frame->text), "%s", name);
}

static void recall(const struct named *named, struct named_frame *frame)
{
	frame->kind = named->kind;
	frame->line = named->line;
	snprintf(frame->text, sizeof(frame->text), "%s", named->text ? named->text : "");
	snprintf(frame->file, sizeof(frame->file), "%s", named->file ? named->file : "");
}

/* Most addresses recur in many stacks. */
bool names_erlang(struct names *names, uint64_t address, bool is_caller, struct named_frame *frame)
{
	struct named *named;
	bool is_function, is_sure;
	uint64_t start = 0;

	address -= is_caller;
	HASH_FIND(hh, names->named, &address, sizeof(address), named);
	if (named) {
		recall(named, frame);
		return named->text;
	}
	frame->file[0] = '\0';
	frame->line = 0;
	is_function = look_up(names, address, frame, &is_sure);
	if (!is_sure)
		start = look_in_memory(names, address, frame);
	is_function |= start != 0;
	named = HASH_COUNT(names->named) < MOST_NAMED ? calloc(1, sizeof(*named)) : NULL;
	if (!named)
		return is_function;
	named->address = address;
	named->is_sure = is_sure;
	named->start = start;
	if (is_function)
		keep_frame(named, frame);
	HASH_ADD(hh, names->named, address, sizeof(address), named);
	return is_function;
}

void names_meet_erlang(struct names *names, uint64_t address, bool is_caller)
{
	struct named_frame frame;

	names_erlang(names, address, is_caller, &frame);
}

const char *names_called(struct names *names, uint64_t address)
{
	return names->called ? called_bifs_at(names->called, names->naming, address, names->is_over) : NULL;
}

/* C. */

static struct unwind_table *table_of(struct names *names, const struct mapped_object *object)
{
	for (size_t i = 0; i < names->table_count; i++) {
		if (names->tables[i].object == object)
			return names->tables[i].table;
	}
	if (!array_has_room(names->tables, names->table_count))
		return NULL;
	names->tables[names->table_count].object = object;
	names->tables[names->table_count].table = unwind_table_new(object->image);
	return names->tables[names->table_count++].table;
}

/* The file mapped at an address, and the offset in it. NULL: none. */
static struct mapped_object *object_of(struct names *names, uint64_t address, uint64_t *offset)
{
	struct mapped_object *object = objects_at(names->objects, address, offset);

	if (!object)
		return NULL;
	object_read(object);
	return object->image ? object : NULL;
}

/* Converts a file offset to the object's address, by its code segment. */
static bool file_address(const struct mapped_object *object, uint64_t offset, uint64_t *address)
{
	uint64_t start, size, begin;

	for (size_t i = 0; image_code_segment(object->image, i, &start, &size); i++) {
		if (!image_code_offset(object->image, start, &begin) && offset >= begin && offset - begin < size) {
			*address = start + (offset - begin);
			return true;
		}
	}
	return false;
}

static const struct unwind_table *find_table(void *data, uint64_t address, uint64_t *in_file)
{
	struct names *names = data;
	uint64_t offset;
	struct mapped_object *object = object_of(names, address, &offset);

	return object && file_address(object, offset, in_file) ? table_of(names, object) : NULL;
}

static bool is_return(void *data, uint64_t address)
{
	unsigned char code[UNWIND_CALL_BYTES];
	uint64_t offset, in_file;
	struct mapped_object *object = object_of(data, address, &offset);

	return object && file_address(object, offset, &in_file) && in_file > sizeof(code) &&
	       !image_read_code(object->image, in_file - sizeof(code), code, sizeof(code)) && unwind_is_call(code);
}

struct unwind_source names_unwind_source(struct names *names)
{
	return (struct unwind_source){ .data = names, .table = find_table, .is_return = is_return };
}

static const struct native *find_native(struct names *names, uint64_t address)
{
	if (!names->is_over)
		native_list_read(&names->natives);
	for (size_t i = 0; i < names->natives.count; i++) {
		if (names->natives.natives[i].address == address)
			return &names->natives.natives[i];
	}
	return NULL;
}

/* A function of the VM found in its own tables by its start. */
static bool name_by_tables(struct names *names, uint64_t begin, struct named_frame *frame)
{
	const struct bif *bif = bif_find(names->bifs, begin);
	const struct native *native = bif ? NULL : find_native(names, begin);

	if (bif) {
		frame->kind = FRAME_BIF;
		snprintf(frame->text, sizeof(frame->text), "%s", bif->mfa);
	} else if (native) {
		frame->kind = strchr(native->name, '/') ? FRAME_BIF : FRAME_VM;
		snprintf(frame->text, sizeof(frame->text), "%s", native->name);
	}
	return bif || native;
}

/* C++ functions outside classes, as in the JIT of the VM: "_Z3fooPv". */
static void name_by_symbol(const char *symbol, char text[NAMES_SIZE])
{
	char *name;
	unsigned long length = strncmp(symbol, "_Z", 2) ? 0 : strtoul(symbol + 2, &name, 10);

	if (length && length <= strlen(name))
		snprintf(text, NAMES_SIZE, "%.*s", (int)length, name);
	else
		snprintf(text, NAMES_SIZE, "%s", symbol);
}

static void name_in_object(struct names *names, struct mapped_object *object, uint64_t offset,
			   struct named_frame *frame)
{
	const struct unwind_table *table = table_of(names, object);
	const struct object_function *f = object_function_at(object, offset);
	uint64_t in_file = offset, begin;
	const struct eh_frame_entry *entry;
	bool is_in_file = file_address(object, offset, &in_file);

	entry = table && is_in_file ? unwind_table_at(table, in_file) : NULL;
	begin = f ? f->symbol->address : entry ? entry->start : in_file;
	frame->kind = object->is_main ? FRAME_VM : FRAME_LIBRARY;
	if (object->is_main && name_by_tables(names, begin, frame))
		return;
	if (f && object->is_main)
		name_by_symbol(f->symbol->name, frame->text);
	else if (f)
		snprintf(frame->text, sizeof(frame->text), "%s`%s", object->name, f->symbol->name);
	else
		snprintf(frame->text, sizeof(frame->text), "%s+0x%" PRIx64, object->name, begin);
}

void names_native(struct names *names, uint64_t address, struct named_frame *frame)
{
	uint64_t offset;
	struct mapped_object *object = object_of(names, address, &offset);

	frame->kind = FRAME_LIBRARY;
	if (object)
		name_in_object(names, object, offset, frame);
	else if (objects_is_vdso(names->objects, address))
		snprintf(frame->text, sizeof(frame->text), "[vdso]");
	else
		snprintf(frame->text, sizeof(frame->text), "0x%" PRIx64, address);
}

/* Reads the VM's tables and the mapped file. */
void names_meet_native(struct names *names, uint64_t address)
{
	uint64_t offset;

	native_list_read(&names->natives);
	object_of(names, address, &offset);
}
