// SPDX-License-Identifier: BSD-2-Clause
/* The text of guard.erl is parsed and evaluated by the node itself: erl_scan, erl_parse, erl_eval. */
#include "dist/guard.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/embed.h"

#define END_MS 2000

extern const char guard_text[];
extern const size_t guard_text_size;

EMBED("guard_text", "user/dist/guard.erl");

/* The term in `from` that begins at its index, as it is. */
static int append_term(ei_x_buff *to, const ei_x_buff *from)
{
	int end = from->index;

	return ei_skip_term(from->buff, &end) ? -EPROTO
					      : ei_x_append_buf(to, from->buff + from->index, end - from->index);
}

/* {Ok, Term, ...}: leaves the index at Term. */
static int enter_ok(ei_x_buff *result, const char *ok)
{
	char atom[MAXATOMLEN];
	int arity;

	if (ei_decode_tuple_header(result->buff, &result->index, &arity) || arity < 2 ||
	    ei_decode_atom(result->buff, &result->index, atom) || strcmp(atom, ok) != 0)
		return -EPROTO;
	return 0;
}

static void add_atom(ei_x_buff *x, const char *text)
{
	ei_x_encode_atom_len_as(x, text, (int)strlen(text), ERLANG_UTF8, ERLANG_UTF8);
}

static void add_function(ei_x_buff *x, const struct guard_function *function)
{
	ei_x_encode_tuple_header(x, 3);
	add_atom(x, function->module);
	add_atom(x, function->name);
	ei_x_encode_ulong(x, function->arity);
}

/* The list of arguments of erl_scan:string/1. */
static void write_scan(ei_x_buff *x)
{
	ei_x_encode_list_header(x, 1);
	/* A list of characters: ei has no longer ones than 65,535. */
	ei_x_encode_string_len(x, guard_text, (int)guard_text_size);
	ei_x_encode_empty_list(x);
}

/* A binding that follows another: {Name, Value}, whose value the caller writes. */
static void begin_binding(ei_x_buff *x, const char *name)
{
	ei_x_encode_tuple_header(x, 2);
	add_atom(x, name);
}

/* Bindings of erl_eval, ordered by name. */
static void write_bindings(ei_x_buff *x, const struct guard_request *request, const char *us)
{
	ei_x_encode_list_header(x, 3);
	begin_binding(x, "Fs");
	ei_x_encode_list_header(x, (long)request->count);
	for (size_t i = 0; i < request->count; i++)
		add_function(x, &request->functions[i]);
	ei_x_encode_empty_list(x);
	begin_binding(x, "Limit");
	ei_x_encode_ulong(x, request->limit);
	begin_binding(x, "Us");
	add_atom(x, us);
	ei_x_encode_empty_list(x);
}

/* What the last step made, {ok, Term, ...}, is the first argument of the next, of which it has so many. */
static int pass_on(ei_x_buff *args, const ei_x_buff *result, int count)
{
	args->index = 0;
	ei_x_encode_list_header(args, count);
	return append_term(args, result);
}

static int step(struct connection *c, const char *module, const char *function, const ei_x_buff *args,
		ei_x_buff *result)
{
	int err = connection_call(c, module, function, args, result);

	return err ? err : enter_ok(result, !strcmp(function, "exprs") ? "value" : "ok");
}

/* From the text to its value, with the node's help. `result` is at the value then. */
static int evaluate(struct connection *c, const struct guard_request *request, ei_x_buff *args, ei_x_buff *result)
{
	int err;

	write_scan(args);
	err = step(c, "erl_scan", "string", args, result);
	if (!err)
		err = pass_on(args, result, 1);
	ei_x_encode_empty_list(args);
	if (!err)
		err = step(c, "erl_parse", "parse_exprs", args, result);
	if (!err)
		err = pass_on(args, result, 2);
	write_bindings(args, request, c->node.thisnodename);
	ei_x_encode_empty_list(args);
	return err ? err : step(c, "erl_eval", "exprs", args, result);
}

/* {traced, {M,F,A}}, {traced, Pid}, {traced, new} */
static int explain_traced(const ei_x_buff *result, int at, char why[CONNECTION_WHY])
{
	int arity;
	char module[MAXATOMLEN_UTF8] = "", name[MAXATOMLEN_UTF8] = "";
	long args = 0;

	if (!ei_decode_tuple_header(result->buff, &at, &arity) && arity == 3 &&
	    !ei_decode_atom_as(result->buff, &at, module, sizeof(module), ERLANG_UTF8, NULL, NULL) &&
	    !ei_decode_atom_as(result->buff, &at, name, sizeof(name), ERLANG_UTF8, NULL, NULL) &&
	    !ei_decode_long(result->buff, &at, &args))
		snprintf(why, CONNECTION_WHY, "%.150s:%.150s/%ld is traced by somebody else, whose tracing would end",
			 module, name, args);
	else
		snprintf(why, CONNECTION_WHY, "processes of it are traced by somebody else, whose tracing would end");
	return -EBUSY;
}

static int explain_atom(const char *atom, char why[CONNECTION_WHY])
{
	snprintf(why, CONNECTION_WHY, "%s",
		 !strcmp(atom, "gone") ? "none of the functions is in the code that is loaded now"
				       : "it did not set the breakpoints within 10 s");
	return -ENOENT;
}

/* {Pid, {ok, Count}}, {traced, What}, gone or timeout. */
static int take_answer(struct guard *guard, ei_x_buff *result, char why[CONNECTION_WHY])
{
	char atom[MAXATOMLEN];
	int arity, at = result->index;

	if (!ei_decode_atom(result->buff, &at, atom))
		return explain_atom(atom, why);
	at = result->index;
	if (!enter_ok(result, "traced"))
		return explain_traced(result, result->index, why);
	if (ei_decode_tuple_header(result->buff, &at, &arity) || ei_decode_pid(result->buff, &at, &guard->pid) ||
	    ei_decode_tuple_header(result->buff, &at, &arity) || ei_decode_atom(result->buff, &at, atom) ||
	    ei_decode_long(result->buff, &at, &guard->count)) {
		snprintf(why, CONNECTION_WHY, "its answer is not understood");
		return -EPROTO;
	}
	return 0;
}

int guard_set(struct guard *guard, const struct target *target, const struct guard_request *request,
	      char why[CONNECTION_WHY])
{
	ei_x_buff args = {}, result = {};
	int err = connection_open(&guard->connection, target, request->cookie, why);

	if (err)
		return err;
	err = ei_x_new(&args) || ei_x_new(&result) ? -ENOMEM : evaluate(&guard->connection, request, &args, &result);
	if (err)
		snprintf(why, CONNECTION_WHY, "it cannot be asked to set breakpoints: %s", strerror(-err));
	else
		err = take_answer(guard, &result, why);
	ei_x_free(&args);
	ei_x_free(&result);
	/* What it may have done in spite of that ends with the connection. */
	if (err)
		connection_close(&guard->connection);
	return err;
}

enum guard_state guard_hear(struct guard *guard)
{
	char atom[MAXATOMLEN] = "";
	int got = connection_hear(&guard->connection, 100, atom);

	if (got < 0)
		return GUARD_GONE;
	if (!got)
		return GUARD_WATCHES;
	return !strcmp(atom, "limit")	 ? GUARD_LIMIT
	       : !strcmp(atom, "killed") ? GUARD_KILLED
	       : !strcmp(atom, "traced") ? GUARD_TRACED
	       : !strcmp(atom, "done")	 ? GUARD_DONE
					 : GUARD_WATCHES;
}

void guard_end(struct guard *guard)
{
	ei_x_buff stop;

	if (guard->connection.fd < 0)
		return;
	if (!ei_x_new_with_version(&stop)) {
		ei_x_encode_atom(&stop, "stop");
		if (!ei_send(guard->connection.fd, &guard->pid, stop.buff, stop.index)) {
			for (int ms = 0; ms < END_MS && guard_hear(guard) == GUARD_WATCHES; ms += 100)
				;
		}
		ei_x_free(&stop);
	}
	connection_close(&guard->connection);
}
