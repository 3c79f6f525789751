// SPDX-License-Identifier: BSD-2-Clause
/*
 * The server `auth` of kernel keeps the cookie in its state, the first field of a record named `state`. While the
 * server waits for a request, its state is a variable on its stack.
 * Source: auth.erl and gen_server.erl of OTP 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "dist/auth.h"

#include <errno.h>
#include <string.h>

#include "node/atoms/atoms.h"
#include "node/atoms/pids.h"
#include "node/processes/processes.h"
#include "node/code/stack.h"
#include "target/reader/procfs.h"
#include "term.h"

#define TRIES 5
#define STATE_ARITY 3 /* record name, own cookie, cookies of other nodes */
#define STATE_WORDS 3 /* words read of the record, header included */

struct reader {
	const struct target *target;
	struct processes *processes;
	struct atoms *atoms;
};

static const struct process *find_server(const struct reader *r)
{
	char name[NAME_SIZE];

	if (processes_read(r->processes))
		return NULL;
	processes_read_names(r->processes);
	for (size_t row = 0; row < processes_rows(r->processes); row++) {
		const struct process *process = processes_row(r->processes, row);

		if (processes_has(r->processes, row) &&
		    !strcmp(process_registered(r->processes, process, name), "auth"))
			return process;
	}
	return NULL;
}

/* False: the term is not an atom, or its text is too long. */
static bool copy_atom(const struct reader *r, uint64_t term, char *text, size_t size)
{
	size_t length;
	const char *bytes = atoms_bytes(r->atoms, atom_of_term(term), &length);

	if (!bytes || length >= size || memchr(bytes, 0, length))
		return false;
	memcpy(text, bytes, length);
	text[length] = '\0';
	return true;
}

static bool read_state(const struct reader *r, uint64_t term, char *cookie, size_t size)
{
	uint64_t words[STATE_WORDS];
	char name[8];

	return TERM_TAG(term) == TERM_TAG_BOXED &&
	       !procfs_memory(r->target->pid, TERM_ADDRESS(term), words, sizeof(words)) &&
	       TERM_TAG(words[0]) == TERM_TAG_HEADER && TERM_HEADER_SUBTAG(words[0]) == TERM_TUPLE &&
	       TERM_HEADER_ARITY(words[0]) == STATE_ARITY && copy_atom(r, words[1], name, sizeof(name)) &&
	       !strcmp(name, "state") && copy_atom(r, words[2], cookie, size);
}

static bool read_stack(const struct reader *r, const struct stack_place *place, char *cookie, size_t size)
{
	uint64_t words[ERL_STACK_WORDS], address;
	size_t count = stack_words(place, &address);

	if (!count || procfs_memory(r->target->pid, address, words, count * 8))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!stack_is_return(place, words[i]) && read_state(r, words[i], cookie, size))
			return true;
	}
	return false;
}

/* If the server runs meanwhile, its stack may be half changed. */
static bool read_server(const struct reader *r, const struct process *server, char *cookie, size_t size)
{
	for (int i = 0; i < TRIES; i++) {
		struct process_look before, after;
		bool is_read;

		processes_look(r->processes, &server->address, &before, 1);
		is_read = read_stack(r, &before.fields.stack, cookie, size);
		processes_look(r->processes, &server->address, &after, 1);
		if (is_read && before.process.id == server->id && after.process.id == server->id &&
		    before.process.reds == after.process.reds)
			return true;
	}
	return false;
}

int auth_cookie(const struct target *target, char *cookie, size_t size)
{
	struct reader r = { .target = target };
	const struct process *server;
	struct erl_pid_layout pids;
	int err = pid_layout_read(target, &pids);

	if (err)
		return err;
	r.processes = processes_new(target, &pids, (struct name_style){});
	r.atoms = atoms_new(target);
	server = r.processes && r.atoms ? find_server(&r) : NULL;
	err = server && read_server(&r, server, cookie, size) && strcmp(cookie, "nocookie") != 0 ? 0 : -ENOENT;
	processes_free(r.processes);
	atoms_free(r.atoms);
	return err;
}
