// SPDX-License-Identifier: BSD-2-Clause
/*
 * From a process to its name. Its common.u.alive.reg is the RegProc with the registered name, u.initial
 * the module, function and arity that it was spawned with. For a process of proc_lib that is always
 * proc_lib:init_p; its process dictionary has what it really runs as '$initial_call', {M, F, A}, and from
 * OTP 27 on a label, any term, as '$process_label'. The dictionary is a linear hash: the home of a key
 * that is an atom follows from the atom's index, and holds a {Key, Value} or a list of such.
 *
 * Everything is read in steps, each for a whole batch of processes. At the end the pids and what the
 * homes hold are read again: a garbage collection changes the latter before it frees the old heap.
 *
 * Source: `ptype /o` of struct process, RegProc and ProcDict on OTP 25.2.3, 27.3.4.1 and 29.1.1, where they are
 * the same but for what probes/fields.def has; pd_hash_value_to_ix() and pd_hash_get_with_hval() of
 * erl_process_dict.c; erl_term.h.
 */
#include "node/naming.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/atoms.h"
#include "node/code.h"
#include "node/pids.h"
#include "node/fields.h"
#include "node/terms.h"
#include "target/procfs.h"

#define REG_PROCESS 2 /* words of RegProc */
#define REG_NAME 4
#define REG_WORDS 5
#define DICTIONARY_HEAD 24 /* bytes before its slots */
#define MAX_SLOTS (1u << 24)
#define MAX_CHAIN 8 /* keys that may share a home, at most looked at */
#define MAX_ARITY 255
#define ATOM_TAG 0x0b
#define BATCH 256

enum key { INITIAL_CALL, LABEL, KEYS };

static const char *const key_names[KEYS] = {
	[INITIAL_CALL] = "$initial_call",
	[LABEL] = "$process_label",
};

struct naming {
	const struct target *target;
	const struct erl_pid_layout *pids;
	struct atoms *atoms;
	struct terms *terms;
	bool is_over;
	uint32_t keys[KEYS]; /* found when they are first needed */
	bool has_keys;
	int64_t registered, dictionary, initial, size; /* of struct process */
};

/* Where the search for a key stands. */
struct search {
	uint64_t home;	   /* address of the slot, 0: the key is not there */
	uint64_t held;	   /* what the slot held */
	uint64_t at;	   /* the rest of the chain */
	uint64_t value;	   /* a term, 0: not found */
	uint64_t words[4]; /* read at this step */
};

/* A request at work: what was read for it so far. */
struct name_lookup {
	struct name_request *request;
	uint64_t registered[REG_WORDS];
	uint32_t dictionary[DICTIONARY_HEAD / 4]; /* sizeMask, usedSlots, arraySize, ... */
	struct search searches[KEYS];
	struct name name;
	uint64_t id_again, held_again[KEYS];
	bool is_torn;
};

/* Pieces of one step, in any order, and which of them could be read. */
struct step {
	struct procfs_piece pieces[BATCH * KEYS * 2];
	size_t count;
};

static void ask(struct step *step, uint64_t address, void *to, size_t size)
{
	/* The address of nothing fails by itself. */
	memset(to, 0, size);
	step->pieces[step->count++] = (struct procfs_piece){ .address = address, .to = to, .size = size };
}

/* What cannot be read stays zeroed, which stands for no name, key or term. */
static void take(const struct naming *names, struct step *step)
{
	procfs_pieces(names->target->pid, step->pieces, step->count);
	for (size_t i = 0; i < step->count; i++) {
		if (!step->pieces[i].is_read)
			memset(step->pieces[i].to, 0, step->pieces[i].size);
	}
	step->count = 0;
}

struct naming *naming_new(const struct target *target, const struct erl_pid_layout *pids)
{
	struct naming made = { .target = target, .pids = pids }, *names;
	int err;

	if (!pids->table || field_offset(target->vm, "process.reg", &made.registered) ||
	    field_offset(target->vm, "process.dictionary", &made.dictionary) ||
	    field_offset(target->vm, "process.initial", &made.initial) ||
	    field_offset(target->vm, "process.size", &made.size)) {
		errno = ENOENT;
		return NULL;
	}
	names = malloc(sizeof(*names));
	if (!names)
		return NULL;
	*names = made;
	names->atoms = atoms_new(target);
	names->terms = names->atoms ? terms_open(target, pids, names->atoms) : NULL;
	if (!names->terms) {
		err = errno;
		naming_free(names);
		errno = err;
		return NULL;
	}
	return names;
}

void naming_free(struct naming *names)
{
	if (!names)
		return;
	terms_free(names->terms);
	atoms_free(names->atoms);
	free(names);
}

void naming_end(struct naming *names)
{
	names->is_over = true;
	terms_end(names->terms);
}

struct terms *naming_terms(const struct naming *names)
{
	return names->terms;
}

static uint64_t atom_term(uint32_t index)
{
	return index == ATOM_NONE ? 0 : (uint64_t)index << 6 | ATOM_TAG;
}

/* All atoms are looked through, once for all that are needed, which takes milliseconds. */
static void find_keys(struct naming *names)
{
	if (names->has_keys)
		return;
	names->has_keys = true;
	/* Before OTP 27 there are no labels, and the atom is anybody's. */
	names->keys[LABEL] = ATOM_NONE;
	atoms_find(names->atoms, key_names, names->target->vm->like >= 27 ? KEYS : LABEL, names->keys);
}

void naming_atoms(struct naming *names, struct erl_name_layout *layout)
{
	static const char *const texts[ERL_ATOMS] = {
		[ERL_ATOM_ERLANG] = "erlang",
		[ERL_ATOM_APPLY] = "apply",
		[ERL_ATOM_ERTS_INTERNAL] = "erts_internal",
		[ERL_ATOM_SPAWN_INIT] = "spawn_init",
		[ERL_ATOM_DIST_SPAWN_INIT] = "dist_spawn_init",
		[ERL_ATOM_PROC_LIB] = "proc_lib",
		[ERL_ATOM_INIT_P] = "init_p",
		[ERL_ATOM_GEN] = "gen",
		[ERL_ATOM_INIT_IT] = "init_it",
		[ERL_ATOM_INIT] = "init",
		[ERL_ATOM_GEN_EVENT] = "gen_event",
		[ERL_ATOM_SUPERVISOR] = "supervisor",
		[ERL_ATOM_SUPERVISOR_BRIDGE] = "supervisor_bridge",
		[ERL_ATOM_NORMAL] = "normal",
	};
	uint32_t found[ERL_ATOMS];

	find_keys(names);
	atoms_find(names->atoms, texts, ERL_ATOMS, found);
	/* Without proc_lib there is no such atom, and then nobody needs it. The same holds for the others. */
	layout->initial_call = atom_term(names->keys[INITIAL_CALL]);
	for (int i = 0; i < ERL_ATOMS; i++)
		layout->atoms[i] = atom_term(found[i]);
}

void naming_layout(const struct naming *names, struct erl_name_layout *layout)
{
	const struct image_symbol *node = image_symbol(names->target->vm->image, "erts_this_node_sysname");
	const struct image_symbol *table = image_symbol(names->target->vm->image, "erts_atom_table");
	int64_t offset;
	uint64_t at;

	*layout = (struct erl_name_layout){
		.reg_offset = (uint64_t)names->registered,
		.initial_offset = (uint64_t)names->initial,
		.dictionary_offset = (uint64_t)names->dictionary,
	};
	/* Not of every release. */
	if (!field_offset(names->target->vm, "process.current", &offset))
		layout->current_offset = (uint64_t)offset;
	if (!field_offset(names->target->vm, "process.i", &offset))
		layout->code_offset = (uint64_t)offset;
	if (!field_offset(names->target->vm, "process.parent", &offset))
		layout->parent_offset = (uint64_t)offset;
	if (table && !target_address(names->target, table->address, &at))
		layout->atom_table = at;
	if (node && !target_address(names->target, node->address, &at))
		layout->own_node = at;
}

void name_init(struct name *name)
{
	*name = (struct name){ .registered = ATOM_NONE, .module = ATOM_NONE, .function = ATOM_NONE };
}

void name_free(struct name *name)
{
	free(name->label);
	name->label = NULL;
}

void name_fields_read(const struct naming *names, const void *process, struct name_fields *fields)
{
	const char *bytes = process;

	memcpy(&fields->registered, bytes + names->registered, 8);
	memcpy(&fields->dictionary, bytes + names->dictionary, 8);
	memcpy(fields->initial, bytes + names->initial, sizeof(fields->initial));
}

/* Terms. */

static bool is_boxed(uint64_t term)
{
	return (term & 3) == 2;
}

static bool is_list(uint64_t term)
{
	return (term & 3) == 1;
}

/* The header word of a tuple is its size and six zero bits. */
static bool is_tuple_of(uint64_t header, unsigned int size)
{
	return header == (uint64_t)size << 6;
}

static bool is_small(uint64_t term)
{
	return (term & 0xf) == 0xf;
}

static void set_call(struct name *name, uint64_t module, uint64_t function, uint64_t arity)
{
	if (atom_of_term(module) == ATOM_NONE || atom_of_term(function) == ATOM_NONE || arity > MAX_ARITY)
		return;
	name->module = atom_of_term(module);
	name->function = atom_of_term(function);
	name->arity = (uint32_t)arity;
}

/* Steps. */

static void read_heads(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count; i++) {
		const struct name_fields *fields = &lookups[i].request->fields;

		if (fields->registered)
			ask(step, fields->registered, lookups[i].registered, sizeof(lookups[i].registered));
		if (fields->dictionary)
			ask(step, fields->dictionary, lookups[i].dictionary, sizeof(lookups[i].dictionary));
	}
	take(names, step);
}

/* Address of the slot that is the home of a key. */
static uint64_t home_of(const struct name_lookup *lookup, uint32_t atom)
{
	uint32_t mask = lookup->dictionary[0], used = lookup->dictionary[1], size = lookup->dictionary[2];
	uint32_t at = atom & mask;

	if (at >= used)
		at = atom & mask >> 1;
	if (atom == ATOM_NONE || at >= used || used > size || size > MAX_SLOTS)
		return 0;
	return lookup->request->fields.dictionary + DICTIONARY_HEAD + at * 8ULL;
}

static void read_homes(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count; i++) {
		for (int key = 0; key < KEYS; key++) {
			struct search *s = &lookups[i].searches[key];

			s->home = lookups[i].request->fields.dictionary ? home_of(&lookups[i], names->keys[key]) : 0;
			if (s->home)
				ask(step, s->home, &s->held, sizeof(s->held));
		}
	}
	take(names, step);
	for (size_t i = 0; i < count; i++) {
		for (int key = 0; key < KEYS; key++)
			lookups[i].searches[key].at = lookups[i].searches[key].held;
	}
}

static bool is_open(const struct search *s)
{
	return s->home && !s->value && (is_list(s->at) || is_boxed(s->at));
}

/* One link of every chain: of a list its cell, then the {Key, Value} itself. */
static void follow_chains(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count * KEYS; i++) {
		struct search *s = &lookups[i / KEYS].searches[i % KEYS];

		if (is_open(s) && is_list(s->at))
			ask(step, s->at - 1, s->words, 16);
		else
			s->words[0] = s->at, s->words[1] = 0;
	}
	take(names, step);
	for (size_t i = 0; i < count * KEYS; i++) {
		struct search *s = &lookups[i / KEYS].searches[i % KEYS];
		uint64_t pair = s->words[0];

		if (!is_open(s))
			continue;
		s->at = s->words[1];
		s->words[0] = 0;
		if (is_boxed(pair))
			ask(step, pair - 2, s->words, 24);
	}
	take(names, step);
	for (size_t i = 0; i < count * KEYS; i++) {
		struct search *s = &lookups[i / KEYS].searches[i % KEYS];

		if (s->home && !s->value && is_tuple_of(s->words[0], 2) &&
		    atom_of_term(s->words[1]) == names->keys[i % KEYS])
			s->value = s->words[2];
	}
}

/* A term of the process's heap; whether it still was while it was read is checked afterwards. */
static char *read_label(const struct naming *names, uint64_t term)
{
	char text[NAME_LABEL_SIZE];

	return terms_show_live(names->terms, term, text, sizeof(text)) ? strdup(text) : NULL;
}

static void read_values(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count; i++) {
		struct search *s = &lookups[i].searches[INITIAL_CALL];

		s->words[0] = 0;
		if (is_boxed(s->value))
			ask(step, s->value - 2, s->words, 32);
	}
	take(names, step);
	for (size_t i = 0; i < count; i++) {
		const struct search *s = &lookups[i].searches[INITIAL_CALL];
		const struct search *label = &lookups[i].searches[LABEL];

		if (is_tuple_of(s->words[0], 3) && is_small(s->words[3]))
			set_call(&lookups[i].name, s->words[1], s->words[2], s->words[3] >> 4);
		if (label->value)
			lookups[i].name.label = read_label(names, label->value);
	}
}

/* Is all that was read still where it was? */
static void check(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count; i++) {
		ask(step, lookups[i].request->address, &lookups[i].id_again, 8);
		for (int key = 0; key < KEYS; key++) {
			if (lookups[i].searches[key].home)
				ask(step, lookups[i].searches[key].home, &lookups[i].held_again[key], 8);
		}
	}
	take(names, step);
	for (size_t i = 0; i < count; i++) {
		if (pid_of_term(names->pids, lookups[i].id_again) != lookups[i].request->id)
			lookups[i].is_torn = true;
		for (int key = 0; key < KEYS; key++) {
			const struct search *s = &lookups[i].searches[key];

			if (s->home && lookups[i].held_again[key] != s->held)
				lookups[i].is_torn = true;
		}
	}
}

static void resolve_batch(struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	find_keys(names);
	for (size_t i = 0; i < count; i++) {
		name_init(&lookups[i].name);
		set_call(&lookups[i].name, lookups[i].request->fields.initial[0], lookups[i].request->fields.initial[1],
			 lookups[i].request->fields.initial[2]);
	}
	read_heads(names, lookups, count, step);
	for (size_t i = 0; i < count; i++) {
		if (lookups[i].registered[REG_PROCESS] == lookups[i].request->address)
			lookups[i].name.registered = atom_of_term(lookups[i].registered[REG_NAME]);
	}
	read_homes(names, lookups, count, step);
	for (int link = 0; link < MAX_CHAIN; link++) {
		bool is_done = true;

		for (size_t i = 0; i < count * KEYS; i++)
			is_done = is_done && !is_open(&lookups[i / KEYS].searches[i % KEYS]);
		if (is_done)
			break;
		follow_chains(names, lookups, count, step);
	}
	read_values(names, lookups, count, step);
	check(names, lookups, count, step);
	for (size_t i = 0; i < count; i++) {
		lookups[i].request->is_known = !lookups[i].is_torn;
		if (lookups[i].is_torn) {
			name_free(&lookups[i].name);
			continue;
		}
		name_free(lookups[i].request->name);
		*lookups[i].request->name = lookups[i].name;
	}
}

void naming_resolve(struct naming *names, struct name_request *requests, size_t count)
{
	_cleanup_free_ struct name_lookup *lookups = calloc(BATCH, sizeof(*lookups));
	_cleanup_free_ struct step *step = calloc(1, sizeof(*step));

	for (size_t from = 0; lookups && step && from < count; from += BATCH) {
		size_t n = count - from < BATCH ? count - from : BATCH;

		memset(lookups, 0, n * sizeof(*lookups));
		for (size_t i = 0; i < n; i++)
			lookups[i].request = &requests[from + i];
		resolve_batch(names, lookups, n, step);
	}
}

/* Texts. */

const char *naming_registered(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	atoms_format(names->atoms, name->registered, text, NAME_SIZE);
	return text;
}

static bool format_call(struct naming *names, uint32_t module, uint32_t function, uint32_t arity, char text[NAME_SIZE])
{
	char m[NAME_SIZE / 2 - 8], f[NAME_SIZE / 2 - 8];

	text[0] = '\0';
	if (!atoms_format(names->atoms, module, m, sizeof(m)) || !atoms_format(names->atoms, function, f, sizeof(f)))
		return false;
	snprintf(text, NAME_SIZE, "%s:%s/%u", m, f, arity);
	return true;
}

const char *naming_initial_call(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	format_call(names, name->module, name->function, name->arity, text);
	return text;
}

static bool format_function_at(struct naming *names, uint64_t address, char text[NAME_SIZE])
{
	uint64_t mfa[3];

	return !names->is_over && !code_function_at(names->target, address, mfa, NULL) &&
	       format_call(names, atom_of_term(mfa[0]), atom_of_term(mfa[1]), (uint32_t)mfa[2], text);
}

bool naming_of_id(struct naming *names, uint64_t id, char text[NAME_SIZE])
{
	const uint64_t value = erl_id_value(id), mask = (1ULL << ERL_ID_ATOM_BITS) - 1;

	if (erl_id_kind(id) == ERL_ID_CODE)
		return format_function_at(names, value, text);
	if (erl_id_kind(id) == ERL_ID_ATOM)
		return atoms_format(names->atoms, (uint32_t)value, text, NAME_SIZE);
	return erl_id_kind(id) == ERL_ID_MFA && format_call(names, (uint32_t)(value >> (ERL_ID_ATOM_BITS + 8)),
							    (uint32_t)(value >> 8 & mask), value & 0xff, text);
}

const char *naming_format(struct naming *names, const struct name *name, char text[NAME_SIZE])
{
	if (*naming_registered(names, name, text))
		return text;
	if (!name->label)
		return naming_initial_call(names, name, text);
	snprintf(text, NAME_SIZE, "%s", name->label);
	return text;
}

int naming_of_process(struct naming *names, uint64_t id, char text[NAME_SIZE])
{
	_cleanup_free_ char *process = calloc(1, (size_t)names->size);
	const struct target *target = names->target;
	struct name name;
	struct name_request request = { .id = id, .name = &name };
	uint64_t term;

	name_init(&name);
	if (!process ||
	    procfs_memory(target->pid, names->pids->table + pid_place(names->pids, id) * 8, &request.address,
			  sizeof(request.address)) ||
	    procfs_memory(target->pid, request.address, process, (size_t)names->size))
		return -ESRCH;
	memcpy(&term, process, sizeof(term));
	if (pid_of_term(names->pids, term) != id)
		return -ESRCH;
	name_fields_read(names, process, &request.fields);
	naming_resolve(names, &request, 1);
	if (request.is_known)
		naming_format(names, &name, text);
	name_free(&name);
	return request.is_known ? 0 : -ESRCH;
}
