// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads the name of a process. Its common.u.alive.reg is the RegProc with the registered name, u.initial the module,
 * function and arity that it was spawned with. For a process of proc_lib, that is always proc_lib:init_p; its process
 * dictionary has the real initial call as '$initial_call', {M, F, A}, and since OTP 27 a label, any term, as
 * '$process_label'. The dictionary is a linear hash table: the slot of an atom key follows from the atom's index, and
 * holds a {Key, Value} or a list of them.
 *
 * A process spawned with a fun, as by spawn(Fun), has the initial call erlang:apply/2, and nothing keeps the fun. The
 * oldest function on its stack is that fun, or the function that replaced it by a tail call; see stack.h.
 *
 * Everything is read in steps, each for a whole batch of processes. At the end, the pids and the slots are read again:
 * a garbage collection changes the slots before it frees the old heap.
 *
 * Source: `ptype /o` of struct process, RegProc and ProcDict in OTP 25.2.3, 27.3.4.1 and 29.1.1, equal except for
 * probes/fields.def; pd_hash_value_to_ix() and pd_hash_get_with_hval() in erl_process_dict.c; erl_term.h.
 */
#include "node/names/naming_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "node/atoms/atoms.h"
#include "node/code/code.h"
#include "node/atoms/pids.h"
#include "node/memory/fields.h"
#include "node/code/stack.h"
#include "node/terms/terms.h"
#include "target/reader/procfs.h"

#define DICTIONARY_HEAD 24 /* bytes before its slots */
#define MAX_SLOTS (1u << 24)
#define MAX_CHAIN 8 /* maximum keys read in one slot */
#define MAX_ARITY 255
#define BATCH 256

#define MAX_CODES 32 /* code addresses looked up per batch */

static const char *const atom_names[ATOMS] = {
	[INITIAL_CALL] = "$initial_call", [LABEL] = "$process_label", [ANCESTORS] = "$ancestors",
	[CALLERS] = "$callers",		  [ERLANG] = "erlang",	      [APPLY] = "apply",
	[BEAMASM] = "erts_beamasm",
};

/* The state of the search for a key. */
struct search {
	uint64_t home;	   /* address of the slot, 0: the key is not there */
	uint64_t held;	   /* content of the slot */
	uint64_t at;	   /* the rest of the chain */
	uint64_t value;	   /* a term, 0: not found */
	uint64_t words[4]; /* read in this step */
};

/* A request and what was read for it so far. */
struct name_lookup {
	struct name_request *request;
	uint64_t registered[REG_WORDS];
	uint32_t dictionary[DICTIONARY_HEAD / 4]; /* sizeMask, usedSlots, arraySize, ... */
	struct search searches[KEYS];
	struct name name;
	size_t stack_count; /* words of the stack, if spawned with a fun */
	uint64_t stack[ERL_STACK_WORDS], current[3];
	bool has_current;
	struct stack_place stack_again;
	uint64_t id_again, held_again[KEYS];
	bool is_torn;
};

/* Functions looked up in a batch. */
struct codes {
	struct {
		uint64_t address;
		uint64_t mfa[3]; /* zeroed: none */
	} known[MAX_CODES];
	size_t count;
};

/* The reads of one step, in any order, and which succeeded. */
struct step {
	struct procfs_piece pieces[BATCH * (KEYS + 4)];
	size_t count;
};

static void plan_read(struct step *step, uint64_t address, void *to, size_t size)
{
	/* Address 0 fails by itself. */
	memset(to, 0, size);
	step->pieces[step->count++] = (struct procfs_piece){ .address = address, .to = to, .size = size };
}

/* Unreadable memory becomes zeros, which are no name, key or term. */
static void read_planned(const struct naming *names, struct step *step)
{
	procfs_pieces(names->target->pid, step->pieces, step->count);
	for (size_t i = 0; i < step->count; i++) {
		if (!step->pieces[i].is_read)
			memset(step->pieces[i].to, 0, step->pieces[i].size);
	}
	step->count = 0;
}

/* The stack needs all of these fields. */
static void find_stack(struct naming *names)
{
	const struct vm *vm = names->target->vm;

	names->parent = names->stop = -1;
	if (field_offset(vm, "process.parent", &names->parent))
		names->parent = -1;
	if (field_offset(vm, "process.heap", &names->heap) || field_offset(vm, "process.heap_sz", &names->heap_size) ||
	    field_offset(vm, "process.current", &names->current) || field_offset(vm, "process.i", &names->code) ||
	    field_offset(vm, "process.stop", &names->stop))
		names->stop = -1;
}

struct naming *naming_new(const struct target *target, const struct erl_pid_layout *pids)
{
	struct naming made = { .target = target, .pids = pids }, *names;
	int err;

	find_stack(&made);
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

void naming_set_style(struct naming *names, struct name_style style)
{
	names->style = style;
}

void naming_end(struct naming *names)
{
	names->is_over = true;
	terms_end(names->terms);
	atoms_end(names->atoms);
}

struct terms *naming_terms(const struct naming *names)
{
	return names->terms;
}

/* One pass over all atoms for all that are needed; it takes milliseconds. */
static void find_known(struct naming *names)
{
	if (names->has_known)
		return;
	names->has_known = true;
	names->known[CALLERS] = ATOM_NONE;
	atoms_find(names->atoms, atom_names + ERLANG, ATOMS - ERLANG, names->known + ERLANG);
	atoms_find(names->atoms, atom_names + ANCESTORS, 1, names->known + ANCESTORS);
	/* Before OTP 27, there are no labels, and the atom may have another use. */
	names->known[LABEL] = ATOM_NONE;
	atoms_find(names->atoms, atom_names, names->target->vm->like >= 27 ? LABEL + 1 : LABEL, names->known);
}

/* Only Elixir has these atoms; elsewhere, the search would scan all atoms in vain. */
static void find_callers(struct naming *names)
{
	if (!names->has_callers)
		atoms_find(names->atoms, atom_names + CALLERS, 1, names->known + CALLERS);
	names->has_callers = true;
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
		[ERL_ATOM_BEAMASM] = "erts_beamasm",
	};
	uint32_t found[ERL_ATOMS];

	find_known(names);
	atoms_find(names->atoms, texts, ERL_ATOMS, found);
	/* Without proc_lib, the atom does not exist and is not needed. The same is true for the others. */
	layout->initial_call = atom_term(names->known[INITIAL_CALL]);
	for (int i = 0; i < ERL_ATOMS; i++)
		layout->atoms[i] = atom_term(found[i]);
}

void naming_layout(const struct naming *names, struct erl_name_layout *layout)
{
	int64_t offset;
	uint64_t at;

	*layout = (struct erl_name_layout){
		.reg_offset = (uint64_t)names->registered,
		.initial_offset = (uint64_t)names->initial,
		.dictionary_offset = (uint64_t)names->dictionary,
	};
	/* Missing in some releases. */
	if (!field_offset(names->target->vm, "process.current", &offset))
		layout->current_offset = (uint64_t)offset;
	if (!field_offset(names->target->vm, "process.i", &offset))
		layout->code_offset = (uint64_t)offset;
	if (!field_offset(names->target->vm, "process.parent", &offset))
		layout->parent_offset = (uint64_t)offset;
	if (names->stop >= 0) {
		layout->heap_offset = (uint64_t)names->heap;
		layout->heap_size_offset = (uint64_t)names->heap_size;
		layout->stop_offset = (uint64_t)names->stop;
	}
	if (!target_symbol(names->target, "erts_atom_table", &at))
		layout->atom_table = at;
	if (!target_symbol(names->target, "erts_this_node_sysname", &at))
		layout->own_node = at;
}

void name_init(struct name *name)
{
	const struct name_call none = { .module = ATOM_NONE, .function = ATOM_NONE };

	*name = (struct name){
		.registered = ATOM_NONE, .initial = none, .on_stack = none, .ancestor = ATOM_NONE, .caller = ATOM_NONE
	};
}

void name_free(struct name *name)
{
	free(name->label);
	name->label = NULL;
}

static uint64_t word_at(const char *bytes, int64_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

void name_fields_read(const struct naming *names, const void *process, struct name_fields *fields)
{
	const char *bytes = process;

	memcpy(&fields->registered, bytes + names->registered, 8);
	memcpy(&fields->dictionary, bytes + names->dictionary, 8);
	memcpy(fields->initial, bytes + names->initial, sizeof(fields->initial));
	fields->stack = (struct stack_place){};
	fields->parent = names->parent >= 0 ? word_at(bytes, names->parent) : 0;
	if (names->stop < 0)
		return;
	fields->stack.heap = word_at(bytes, names->heap);
	fields->stack.size = word_at(bytes, names->heap_size);
	fields->stack.stop = word_at(bytes, names->stop);
	fields->current = word_at(bytes, names->current);
	fields->code = word_at(bytes, names->code);
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

/* The header word of a tuple is its size, followed by six zero bits. */
static bool is_tuple_of(uint64_t header, unsigned int size)
{
	return header == (uint64_t)size << 6;
}

static bool is_small(uint64_t term)
{
	return (term & 0xf) == 0xf;
}

static void set_call(struct name_call *call, uint64_t module, uint64_t function, uint64_t arity)
{
	if (atom_of_term(module) == ATOM_NONE || atom_of_term(function) == ATOM_NONE || arity > MAX_ARITY)
		return;
	call->module = atom_of_term(module);
	call->function = atom_of_term(function);
	call->arity = (uint32_t)arity;
}

/* Steps. */

static void read_heads(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count; i++) {
		const struct name_fields *fields = &lookups[i].request->fields;

		if (fields->registered)
			plan_read(step, fields->registered, lookups[i].registered, sizeof(lookups[i].registered));
		if (fields->dictionary)
			plan_read(step, fields->dictionary, lookups[i].dictionary, sizeof(lookups[i].dictionary));
	}
	read_planned(names, step);
}

/* The address of the slot of a key. */
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

/* Owners are searched only on request. */
static uint32_t key_of(const struct naming *names, const struct name_lookup *lookup, int key)
{
	return key < ANCESTORS || lookup->request->with_owner ? names->known[key] : ATOM_NONE;
}

static void read_homes(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count; i++) {
		for (int key = 0; key < KEYS; key++) {
			struct search *s = &lookups[i].searches[key];

			s->home = lookups[i].request->fields.dictionary
					  ? home_of(&lookups[i], key_of(names, &lookups[i], key))
					  : 0;
			if (s->home)
				plan_read(step, s->home, &s->held, sizeof(s->held));
		}
	}
	read_planned(names, step);
	for (size_t i = 0; i < count; i++) {
		for (int key = 0; key < KEYS; key++)
			lookups[i].searches[key].at = lookups[i].searches[key].held;
	}
}

static bool is_open(const struct search *s)
{
	return s->home && !s->value && (is_list(s->at) || is_boxed(s->at));
}

/* Follows one link of every chain: of a list the cell, then the {Key, Value} itself. */
static void follow_chains(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count * KEYS; i++) {
		struct search *s = &lookups[i / KEYS].searches[i % KEYS];

		if (is_open(s) && is_list(s->at))
			plan_read(step, s->at - 1, s->words, 16);
		else
			s->words[0] = s->at, s->words[1] = 0;
	}
	read_planned(names, step);
	for (size_t i = 0; i < count * KEYS; i++) {
		struct search *s = &lookups[i / KEYS].searches[i % KEYS];
		uint64_t pair = s->words[0];

		if (!is_open(s))
			continue;
		s->at = s->words[1];
		s->words[0] = 0;
		if (is_boxed(pair))
			plan_read(step, pair - 2, s->words, 24);
	}
	read_planned(names, step);
	for (size_t i = 0; i < count * KEYS; i++) {
		struct search *s = &lookups[i / KEYS].searches[i % KEYS];

		if (s->home && !s->value && is_tuple_of(s->words[0], 2) &&
		    atom_of_term(s->words[1]) == names->known[i % KEYS])
			s->value = s->words[2];
	}
}

/* Formats a term on the process's heap. The caller later checks that the heap did not change. */
static char *read_label(const struct naming *names, uint64_t term)
{
	char text[NAME_LABEL_SIZE];

	return terms_show_live(names->terms, term, text, sizeof(text)) ? strdup(text) : NULL;
}

/* Without proc_lib, use the process that spawned it. */
static void read_owner(struct naming *names, struct name_lookup *lookup)
{
	const struct search *searches = lookup->searches;

	if (searches[ANCESTORS].value)
		lookup->name.ancestor = naming_owner(names, searches[ANCESTORS].value, NULL);
	else if (lookup->request->fields.parent)
		lookup->name.ancestor = naming_owner_of(names, lookup->request->fields.parent);
	lookup->name.caller = naming_owner(names, searches[CALLERS].value, &lookup->name.caller_id);
}

static void read_values(struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	for (size_t i = 0; i < count; i++) {
		struct search *s = &lookups[i].searches[INITIAL_CALL];

		s->words[0] = 0;
		if (is_boxed(s->value))
			plan_read(step, s->value - 2, s->words, 32);
	}
	read_planned(names, step);
	for (size_t i = 0; i < count; i++) {
		const struct search *s = &lookups[i].searches[INITIAL_CALL];
		const struct search *label = &lookups[i].searches[LABEL];

		if (is_tuple_of(s->words[0], 3) && is_small(s->words[3]))
			set_call(&lookups[i].name.initial, s->words[1], s->words[2], s->words[3] >> 4);
		if (label->value)
			lookups[i].name.label = read_label(names, label->value);
		if (lookups[i].request->with_owner)
			read_owner(names, &lookups[i]);
	}
}

/* Functions on stacks. */

static bool is_apply(const struct naming *names, const struct name_call *call)
{
	return call->module == names->known[ERLANG] && call->function == names->known[APPLY] && call->arity == 2;
}

/* Many processes are in the same function: its name is read once for consecutive ones. */
static void read_stacks(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	const struct name_lookup *asked = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct name_fields *fields = &lookups[i].request->fields;
		uint64_t address;

		if (!fields->stack.heap || !is_apply(names, &lookups[i].name.initial))
			continue;
		lookups[i].stack_count = stack_words(&fields->stack, &address);
		if (lookups[i].stack_count)
			plan_read(step, address, lookups[i].stack, lookups[i].stack_count * 8);
		lookups[i].has_current = fields->current != 0;
		if (!fields->current || (asked && asked->request->fields.current == fields->current))
			continue;
		asked = &lookups[i];
		plan_read(step, fields->current, lookups[i].current, sizeof(lookups[i].current));
	}
	read_planned(names, step);
	asked = NULL;
	for (size_t i = 0; i < count; i++) {
		if (!lookups[i].has_current)
			continue;
		if (asked && asked->request->fields.current == lookups[i].request->fields.current)
			memcpy(lookups[i].current, asked->current, sizeof(asked->current));
		else
			asked = &lookups[i];
	}
}

/* Reads the stacks again, because a collection would move them. Sorted by address, to be read as one range. */
static void plan_stacks_again(const struct naming *names, struct name_lookup *lookup, struct step *step)
{
	uint64_t process = lookup->request->address;

	if (!lookup->request->fields.stack.heap || !is_apply(names, &lookup->name.initial))
		return;
	plan_read(step, process + (uint64_t)names->stop, &lookup->stack_again.stop, 8);
	plan_read(step, process + (uint64_t)names->heap, &lookup->stack_again.heap, 8);
	plan_read(step, process + (uint64_t)names->heap_size, &lookup->stack_again.size, 8);
}

/* Checks that everything is still where it was read. */
static void check(const struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	/*
	 * Process structures are close to each other, and so are dictionaries, but not to one another: read them in two
	 * runs.
	 */
	for (size_t i = 0; i < count; i++) {
		plan_read(step, lookups[i].request->address, &lookups[i].id_again, 8);
		plan_stacks_again(names, &lookups[i], step);
	}
	for (size_t i = 0; i < count * KEYS; i++) {
		if (lookups[i / KEYS].searches[i % KEYS].home)
			plan_read(step, lookups[i / KEYS].searches[i % KEYS].home,
				  &lookups[i / KEYS].held_again[i % KEYS], 8);
	}
	read_planned(names, step);
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

static const uint64_t *function_at(const struct naming *names, struct codes *codes, uint64_t address)
{
	uint64_t *mfa;

	for (size_t i = 0; i < codes->count; i++) {
		if (codes->known[i].address == address)
			return codes->known[i].mfa;
	}
	if (names->is_over || codes->count == MAX_CODES)
		return NULL;
	mfa = codes->known[codes->count].mfa;
	codes->known[codes->count++].address = address;
	if (code_function_at(names->target, address, mfa, NULL))
		memset(mfa, 0, sizeof(codes->known->mfa));
	return mfa;
}

/*
 * The oldest return address on the stack, or 0. If the VM traces a function, an address of the JIT's own code is below
 * it (code_is_of_jit()), which is skipped.
 */
static uint64_t oldest_return(const struct naming *names, const struct name_lookup *lookup, struct codes *codes)
{
	const struct stack_place *place = &lookup->request->fields.stack;
	size_t count = lookup->stack_count;

	while ((count = stack_oldest_return(place, lookup->stack, count))) {
		uint64_t address = lookup->stack[--count];
		const uint64_t *mfa = function_at(names, codes, address);

		if (!mfa || !mfa[0] || atom_of_term(mfa[0]) != names->known[BEAMASM])
			return address;
	}
	return 0;
}

/* The oldest function on the stack; with an empty stack, the current one. */
static void set_function(const struct naming *names, struct name_lookup *lookup, struct codes *codes)
{
	const struct name_fields *fields = &lookup->request->fields;
	uint64_t address = oldest_return(names, lookup, codes);
	const uint64_t *mfa = lookup->current;

	if (address || !fields->current)
		mfa = function_at(names, codes, address ? address : fields->code);
	if (mfa)
		set_call(&lookup->name.on_stack, mfa[0], mfa[1], mfa[2]);
}

static void set_functions(const struct naming *names, struct name_lookup *lookups, size_t count)
{
	struct codes codes = {};

	for (size_t i = 0; i < count; i++) {
		const struct stack_place *place = &lookups[i].request->fields.stack;

		if (place->heap && is_apply(names, &lookups[i].name.initial) &&
		    !memcmp(place, &lookups[i].stack_again, sizeof(*place)))
			set_function(names, &lookups[i], &codes);
	}
}

static void begin_batch(struct naming *names, struct name_lookup *lookups, size_t count)
{
	find_known(names);
	for (size_t i = 0; i < count; i++) {
		const uint64_t *initial = lookups[i].request->fields.initial;

		lookups[i].request->with_owner &= names->style.with_owner;
		if (lookups[i].request->with_owner)
			find_callers(names);
		name_init(&lookups[i].name);
		set_call(&lookups[i].name.initial, initial[0], initial[1], initial[2]);
	}
}

static void set_registered(struct name_lookup *lookups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (lookups[i].registered[REG_PROCESS] == lookups[i].request->address)
			lookups[i].name.registered = atom_of_term(lookups[i].registered[REG_NAME]);
	}
}

static void search_dictionaries(const struct naming *names, struct name_lookup *lookups, size_t count,
				struct step *step)
{
	read_homes(names, lookups, count, step);
	for (int link = 0; link < MAX_CHAIN; link++) {
		bool is_done = true;

		for (size_t i = 0; i < count * KEYS; i++)
			is_done = is_done && !is_open(&lookups[i / KEYS].searches[i % KEYS]);
		if (is_done)
			break;
		follow_chains(names, lookups, count, step);
	}
}

static void resolve_batch(struct naming *names, struct name_lookup *lookups, size_t count, struct step *step)
{
	memset(names->owner, 0, sizeof(names->owner));
	begin_batch(names, lookups, count);
	read_heads(names, lookups, count, step);
	set_registered(lookups, count);
	search_dictionaries(names, lookups, count, step);
	read_values(names, lookups, count, step);
	read_stacks(names, lookups, count, step);
	check(names, lookups, count, step);
	set_functions(names, lookups, count);
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

/* The addresses of the structures: 0 for an id without one. */
static void find_processes(const struct naming *names, struct name_request *requests, struct procfs_piece *pieces,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		requests[i].is_known = false;
		requests[i].with_owner = true;
		requests[i].address = 0;
		pieces[i] = (struct procfs_piece){
			.address = names->pids->table + pid_place(names->pids, requests[i].id) * 8,
			.to = &requests[i].address,
			.size = sizeof(requests[i].address),
		};
	}
	procfs_pieces(names->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		if (!pieces[i].is_read)
			requests[i].address = 0;
	}
}

/* Moves requests whose structures were read, with the right pid, to the front. Returns their number. */
static size_t read_structures(const struct naming *names, struct name_request *requests, struct procfs_piece *pieces,
			      char *processes, size_t count)
{
	size_t size = (size_t)names->size, kept = 0;
	uint64_t term;

	for (size_t i = 0; i < count; i++)
		pieces[i] = (struct procfs_piece){ requests[i].address, processes + i * size, size, false };
	procfs_pieces(names->target->pid, pieces, count);
	for (size_t i = 0; i < count; i++) {
		struct name_request request = requests[i];

		memcpy(&term, processes + i * size, sizeof(term));
		if (!pieces[i].is_read || !request.address || pid_of_term(names->pids, term) != request.id)
			continue;
		name_fields_read(names, processes + i * size, &request.fields);
		requests[i] = requests[kept];
		requests[kept++] = request;
	}
	return kept;
}

void naming_read_processes(struct naming *names, struct name_request *requests, size_t count)
{
	_cleanup_free_ char *processes = calloc(count + 1, (size_t)names->size);
	_cleanup_free_ struct procfs_piece *pieces = calloc(count + 1, sizeof(*pieces));

	for (size_t i = 0; i < count; i++)
		requests[i].is_known = false;
	if (!processes || !pieces)
		return;
	find_processes(names, requests, pieces, count);
	naming_resolve(names, requests, read_structures(names, requests, pieces, processes, count));
}

int naming_read_process(struct naming *names, uint64_t id, struct name *name)
{
	struct name_request request = { .id = id, .name = name };

	naming_read_processes(names, &request, 1);
	return request.is_known ? 0 : -ESRCH;
}

int naming_of_process(struct naming *names, uint64_t id, char text[NAME_SIZE])
{
	struct name name;
	int err;

	name_init(&name);
	err = naming_read_process(names, id, &name);
	if (!err)
		naming_describe(names, &name, text);
	name_free(&name);
	return err;
}
