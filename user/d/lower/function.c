// SPDX-License-Identifier: BSD-2-Clause
/* Built-in variables, and calls of subroutines, by their prototype in functions.c or by a rule of their own. */
#include <stdio.h>
#include <string.h>

#include "d.h"
#include "base/arena.h"
#include "d/lang/function.h"
#include "d/lower/lower.h"
#include "d/lang/symbol.h"

/* Calls without faults. */
static struct place call_safe(struct lower *lower, const char *name, const struct place *args, unsigned int count)
{
	struct place result = lower_call(lower, name, args, count);

	lower->code->last->is_safe = true;
	return result;
}

static struct place call_with_context(struct lower *lower, const char *name, const struct place *args,
				      unsigned int count)
{
	struct place result = call_safe(lower, name, args, count);

	lower->code->last->with_context = true;
	return result;
}

/*
 * The number of kernel stack frames that belong to the program: the library function, the clauses, the program, and the
 * kernel's BPF code. The clauses of ERROR add one.
 */
#define OWN_FRAMES 4
#define ALL_FRAMES 255 /* BPF_F_SKIP_FIELD_MASK: skips all frames */

struct place lower_own_frames(struct lower *lower)
{
	unsigned int own = OWN_FRAMES + lower->in_error;

	lower->reads_stack = true;
	lower->unit->reads_kernel_stack = true;
	switch (lower->hook) {
	case HOOK_SYSCALL_ENTRY:
	case HOOK_SYSCALL_RETURN: return place_const(own + lower->unit->options.syscall_frames);
	case HOOK_TRACEPOINT:
	case HOOK_SHAPED:
	case HOOK_SHAPED_KERNEL: return place_const(own);
	/* erlbpf runs the program itself, so the kernel stack does not belong to a traced thread. */
	case HOOK_RUN: return place_const(ALL_FRAMES);
	default: return place_const(0);
	}
}

static struct place kernel_stack(struct lower *lower, const char *name)
{
	struct place own = lower_own_frames(lower);

	return call_with_context(lower, name, &own, 1);
}

static struct place user_stack(struct lower *lower, const char *name)
{
	lower->reads_stack = true;
	return call_with_context(lower, name, NULL, 0);
}

const char *lower_stack_function(struct lower *lower, const char *what)
{
	lower->unit->walks_processes |= lower->hook == HOOK_ERLANG;
	switch (lower->hook) {
	case HOOK_PID_ENTRY: return arena_printf(lower->unit->arena, "%s_entry", what);
	case HOOK_PROFILE: return arena_printf(lower->unit->arena, "%s_profile", what);
	case HOOK_ERLANG: return arena_printf(lower->unit->arena, "%s_node", what);
	default: return what;
	}
}

/* Built-in variables. */

static struct place head_word(struct lower *lower, uint32_t offset)
{
	struct ir *ir = lower_add(lower, IR_LOAD);

	ir->dst = lower_temp(lower);
	ir->a = place_at(AREA_HEAD, offset);
	ir->size = 8;
	return ir->dst;
}

static struct place argument(struct lower *lower, unsigned int n)
{
	lower->args |= 1u << n;
	return head_word(lower, (uint32_t)(offsetof(struct d_frame, args) + 8 * n));
}

/* args[n], n constant; uregs[n]. */
static struct place indexed(struct lower *lower, struct node *node)
{
	struct place index = lower_word(lower, node->args);

	if (node->a->symbol->builtin == BUILTIN_UREGS)
		return lower_call(lower, "d_uregs", &index, 1);
	if (index.area != AREA_CONST || (uint64_t)index.value >= D_ARGS) {
		lower_unsupported(lower, node, "a non-constant index of args[]");
		return place_const(0);
	}
	return lower_extend(lower, argument(lower, (unsigned int)index.value), node->type);
}

static struct place probe_name(struct lower *lower, int which)
{
	struct place slot = lower_slot(lower), args[] = { slot, place_const(which) };

	lower->unit->uses_probe_names = true;
	call_safe(lower, "d_probe_name", args, 2);
	return slot;
}

static struct place text(struct lower *lower, const char *function)
{
	struct place slot = lower_slot(lower);

	call_safe(lower, function, &slot, 1);
	return slot;
}

struct place lower_builtin(struct lower *lower, struct node *node)
{
	enum builtin which = node->kind == NODE_INDEX ? node->a->symbol->builtin : node->symbol->builtin;

	if (node->kind == NODE_INDEX)
		return indexed(lower, node);
	if (which <= BUILTIN_ARG9)
		return argument(lower, which - BUILTIN_ARG0);
	switch (which) {
	case BUILTIN_TIMESTAMP: return head_word(lower, offsetof(struct d_frame, time_ns));
	case BUILTIN_WALLTIMESTAMP:
		return call_safe(
			lower, lower->unit->options.compat == COMPAT_ORACLE ? "d_walltimestamp_now" : "d_walltimestamp",
			NULL, 0);
	case BUILTIN_PID: return call_safe(lower, "d_pid", NULL, 0);
	case BUILTIN_TID: return call_safe(lower, "d_thread", NULL, 0);
	case BUILTIN_VTIMESTAMP: return call_safe(lower, "d_vtimestamp", NULL, 0);
	case BUILTIN_PPID: return call_safe(lower, "d_ppid", NULL, 0);
	case BUILTIN_UID: return call_safe(lower, "d_uid", NULL, 0);
	case BUILTIN_GID: return call_safe(lower, "d_gid", NULL, 0);
	case BUILTIN_EXECNAME: return text(lower, "d_execname");
	case BUILTIN_CWD: return text(lower, "d_cwd");
	case BUILTIN_ROOT: return text(lower, "d_root");
	case BUILTIN_ZONENAME: return lower_constant(lower, "global", strlen("global"));
	case BUILTIN_CPU: return call_safe(lower, "d_cpu", NULL, 0);
	case BUILTIN_PROBEPROV: return probe_name(lower, 0);
	case BUILTIN_PROBEMOD: return probe_name(lower, 1);
	case BUILTIN_PROBEFUNC: return probe_name(lower, 2);
	case BUILTIN_PROBENAME: return probe_name(lower, 3);
	case BUILTIN_EPID: return call_safe(lower, "d_epid", NULL, 0);
	case BUILTIN_ID: lower->unit->uses_probe_names = true; return call_safe(lower, "d_probe_id", NULL, 0);
	case BUILTIN_ERRNO: return call_safe(lower, "d_errno", NULL, 0);
	case BUILTIN_CALLER: return kernel_stack(lower, "d_caller");
	case BUILTIN_UCALLER: return user_stack(lower, lower->hook == HOOK_PID_ENTRY ? "d_ucaller_entry" : "d_ucaller");
	case BUILTIN_STACKDEPTH: return kernel_stack(lower, "d_stackdepth");
	case BUILTIN_USTACKDEPTH: return user_stack(lower, lower_stack_function(lower, "d_ustackdepth"));
	case BUILTIN_CURTHREAD: return call_safe(lower, "d_curthread", NULL, 0);
	case BUILTIN_IPL: return place_const(0);
	case BUILTIN_BEAM_MATCHES: return head_word(lower, offsetof(struct d_frame, functions));
	default: lower_unsupported(lower, node, node->name); return place_const(0);
	}
}

/* Subroutines. */

/* True if the nth word after the parenthesis of a prototype, "string(string, int, [int])", is `kind`. */
static bool parameter_is(const char *prototype, unsigned int n, const char *kind)
{
	const char *at = strchr(prototype, '(');

	for (; at && n; n--)
		at = strchr(at + 1, ',');
	if (!at)
		return false;
	at += 1 + strspn(at + 1, " [");
	return !strncmp(at, kind, strlen(kind)) && strchr(",)] ", at[strlen(kind)]);
}

/* The number of required parameters. */
static unsigned int required(const char *prototype)
{
	const char *at = strchr(prototype, '('), *optional = at ? strchr(at, '[') : NULL;
	unsigned int count = 0;

	if (!at || at[1] == ')')
		return 0;
	if (optional && optional == at + 1)
		return 0;
	for (count = 1; *++at && (!optional || at < optional);)
		count += *at == ',';
	return optional ? count - 1 : count;
}

static bool node_is_null(const struct node *node)
{
	return (node->kind == NODE_INT || node->is_constant) && !node->value;
}

/* NULL is not a string, although an unset variable is an empty one. */
static void fault_of_null(struct lower *lower)
{
	struct place address = lower_temp(lower);
	int good = lower_label(lower);
	struct ir *ir;

	lower_move(lower, address, place_const(0));
	lower_if(lower, address, OP_NE, place_const(0), false, good);
	ir = lower_add(lower, IR_FAULT);
	ir->imm = D_FAULT_BADADDR;
	ir->a = address;
	ir->label = lower->fault;
	lower_here(lower, good);
}

static struct place string_argument(struct lower *lower, struct node *node)
{
	if (!type_is_stringish(node->type) && node_is_null(node))
		fault_of_null(lower);
	return lower_in_frame(lower, lower_string(lower, node));
}

/* Calls the function with the arguments of the node, after `count` arguments that are already in args. */
static struct place call_with(struct lower *lower, const struct node *node, const char *name, struct place *args,
			      unsigned int count)
{
	const char *prototype = node->function->prototype;
	unsigned int given = 0;

	for (struct node *arg = node->args; arg && count < IR_MAX_ARGS; arg = arg->next, given++) {
		bool is_text = parameter_is(prototype, given, "string");

		args[count++] = is_text ? string_argument(lower, arg) : lower_word(lower, arg);
	}
	if (given > required(prototype))
		name = arena_printf(lower->arena, "%s_n", name);
	return lower_call(lower, name, args, count);
}

static struct place call_library(struct lower *lower, struct node *node)
{
	const struct d_function *function = node->function;
	bool gives_string = !strncmp(function->prototype, "string(", 7);
	struct place args[IR_MAX_ARGS], result;

	if (gives_string)
		args[0] = lower_slot(lower);
	result = call_with(lower, node, function->library, args, gives_string);
	return gives_string ? args[0] : lower_extend(lower, result, node->type);
}

/* strtok() continues in the rest of its string, which is kept until the firing ends. */
static struct place lower_strtok(struct lower *lower, struct node *node)
{
	struct node *text = node->args;
	struct place slot = lower_slot(lower), args[4] = { slot };

	lower->layout->tokens_size = 2 * lower->layout->room;
	args[1] = type_is_stringish(text->type) || !node_is_null(text) ? string_argument(lower, text) : place_const(0);
	args[2] = string_argument(lower, text->next);
	args[3] = place_at(AREA_TOKENS, 0);
	lower_call(lower, "d_strtok", args, 4);
	return slot;
}

/*
 * Only memory of alloca() can be a destination. The checker knows only at its end which variables hold such addresses,
 * so this is checked here.
 */
static void check_copied_to(struct lower *lower, const struct node *call, const struct node *to, int number)
{
	if (!node_is_scratch(to) || type_is_string(to->type))
		diag_error(&lower->unit->diag, call->file, call->line, "D_PROTO_ARG",
			   "%s() argument #%d is incompatible with prototype: expected a pointer to memory of alloca, "
			   "found another pointer",
			   call->name, number);
}

static struct place lower_copyinto(struct lower *lower, struct node *node)
{
	struct place args[IR_MAX_ARGS];

	check_copied_to(lower, node, node->args->next->next, 3);
	return call_with(lower, node, "d_copyinto", args, 0);
}

static struct place lower_bcopy(struct lower *lower, struct node *node)
{
	struct place args[IR_MAX_ARGS];

	check_copied_to(lower, node, node->args->next, 2);
	return call_with(lower, node, node_is_scratch(node->args) ? "d_bcopy_scratch" : "d_bcopy", args, 0);
}

/* A term that is not recorded: only its argument can have effects. */
static struct place lower_term(struct lower *lower, struct node *node)
{
	return lower_word(lower, node->args);
}

static const struct rule {
	const char *name;
	struct place (*lower)(struct lower *lower, struct node *node);
} rules[] = {
	{ "bcopy", lower_bcopy },
	{ "copyinto", lower_copyinto },
	{ "strtok", lower_strtok },
	{ "term", lower_term },
};

/* The text of a built-in variable, if it can be made directly in the record. */
static bool builtin_in_record(struct lower *lower, enum builtin which, struct place field)
{
	struct place args[] = { place_at(AREA_RECORD, 0), field, place_const(which - BUILTIN_PROBEPROV) };

	if (which == BUILTIN_EXECNAME) {
		call_safe(lower, "d_record_execname", args, 2);
		return true;
	}
	if (which < BUILTIN_PROBEPROV || which > BUILTIN_PROBENAME)
		return false;
	lower->unit->uses_probe_names = true;
	call_safe(lower, "d_record_probe_name", args, 3);
	return true;
}

bool lower_string_in_record(struct lower *lower, struct node *node, struct place field)
{
	struct place args[IR_MAX_ARGS] = { place_at(AREA_RECORD, 0), field };

	if (node->kind == NODE_IDENT && node->symbol && node->symbol->kind == SYMBOL_BUILTIN)
		return builtin_in_record(lower, node->symbol->builtin, field);
	if (node->kind != NODE_CALL || !node->function || !node->function->in_record)
		return false;
	call_with(lower, node, node->function->in_record, args, 2);
	return true;
}

struct place lower_call_node(struct lower *lower, struct node *node)
{
	const struct d_function *function = node->function;

	if (!function) {
		/* The checker replaced calls of inline functions. */
		lower_unsupported(lower, node, node->name);
		return place_const(0);
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		if (!strcmp(rules[i].name, function->name))
			return rules[i].lower(lower, node);
	}
	if (function->lower)
		return function->lower(lower, node);
	if (function->library && function->kind == FUNCTION_SUBROUTINE)
		return call_library(lower, node);
	lower_unsupported(lower, node, function->name);
	return place_const(0);
}
