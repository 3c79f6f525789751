// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a program can use if it runs for a user without root rights. Clauses for probes of nodes run in the user's own
 * processes and can read their memory. Others (BEGIN, tick) run in an arbitrary process and cannot. None can read
 * kernel memory. These checks exist for good messages; the loader enforces that no program reads through an address
 * (load/optimiser/code_confine.h).
 */
#include <string.h>

#include "d/check/checker.h"
#include "d/lang/builtins.h"

enum right {
	RIGHT_ALWAYS,
	RIGHT_IN_NODES, /* in clauses for probes of nodes */
	RIGHT_NEVER,
};

/* Functions and variables that are not in this table are refused. */
static const char in_nodes[] =
	" pid tid uid gid execname args arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8 arg9 ucaller ustackdepth uregs "
	"argterm "
	"copyin copyinstr copyinto term ustack jstack uaddr ufunc umod usym tracemem print alloca bcopy "
	"inet_ntoa inet_ntoa6 inet_ntop link_ntop ";
static const char always[] =
	" timestamp walltimestamp cpu probeprov probemod probefunc probename epid id errno zonename ipl "
	"avg count llquantize lquantize max min quantize stddev sum "
	"clear commit denormalize discard exit normalize printa printf setopt speculate trace trunc "
	"basename cleanpath dirname getmajor getminor htonl htonll htons index json lltostr ntohl ntohll ntohs rand "
	"rindex speculation strchr strjoin strlen strrchr strstr strtok strtoll substr tolower toupper ";

static bool is_among(const char *words, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = words; (at = strstr(at, name)); at += size) {
		if (at[-1] == ' ' && at[size] == ' ')
			return true;
	}
	return false;
}

static enum right right_to(const char *name)
{
	if (is_among(always, name))
		return RIGHT_ALWAYS;
	return is_among(in_nodes, name) ? RIGHT_IN_NODES : RIGHT_NEVER;
}

/* Only names of node providers: a pattern that begins differently could match others. */
static bool is_of_nodes(const struct probe_spec *spec)
{
	static const char *const providers[] = { "erlang", "vm", "app" };

	for (size_t i = 0; i < sizeof(providers) / sizeof(*providers); i++) {
		if (!strncmp(spec->provider, providers[i], strlen(providers[i])))
			return true;
	}
	return false;
}

static bool is_clause_of_nodes(const struct clause *clause)
{
	for (const struct probe_spec *spec = clause->specs; spec; spec = spec->next) {
		if (!is_of_nodes(spec))
			return false;
	}
	return true;
}

static bool check_right(struct checker *checker, const struct node *node, const char *name, const char *what)
{
	/* Inlines and translators are checked where a clause uses them. */
	bool is_free = !checker->unit->options.is_confined || !checker->clause;
	enum right right = is_free ? RIGHT_ALWAYS : right_to(name);

	if (right == RIGHT_ALWAYS || (right == RIGHT_IN_NODES && is_clause_of_nodes(checker->clause->clause)))
		return true;
	if (right == RIGHT_IN_NODES)
		check_error(checker, node, "D_PRIVS",
			    "%s%s needs root rights, except in clauses for the providers erlang, vm and app", name,
			    what);
	else
		check_error(checker, node, "D_PRIVS", "%s%s needs root rights", name, what);
	return false;
}

bool check_rights_to_call(struct checker *checker, const struct node *call)
{
	return check_right(checker, call, call->name, "()");
}

bool check_rights_to_read(struct checker *checker, const struct node *node, const struct symbol *builtin)
{
	return check_right(checker, node, builtin->name, "");
}
