// SPDX-License-Identifier: BSD-2-Clause
#include "profile/stack_merge.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "dtrace/symbols/symbols.h"
#include "locks.h"
#include "profile/unwind.h"

#define MOST_FRAMES (SAMPLE_ERLANG + SAMPLE_NATIVE + SAMPLE_KERNEL + 8)

/* The merged stack, root first. */
struct joined {
	struct profile *profile;
	const struct stack_merge_request *request;
	const struct stack_merge_node *node;
	const struct sample_stack *stack;
	uint32_t frames[MOST_FRAMES];
	size_t count;
	bool is_wanted;
	uint64_t native[SAMPLE_NATIVE]; /* C frames, newest first */
	size_t native_count;
};

static void push_at(struct joined *j, enum frame_kind kind, const char *text, const char *file, unsigned int line)
{
	if (j->request->function && kind != FRAME_GROUP && !fnmatch(j->request->function, text, 0))
		j->is_wanted = true;
	if (j->count < MOST_FRAMES)
		j->frames[j->count++] = profile_frame(j->profile, kind, text, file, line);
}

static void push(struct joined *j, enum frame_kind kind, const char *text)
{
	push_at(j, kind, text, NULL, 0);
}

/* The group at the root. */

static void push_scheduler(struct joined *j)
{
	static const char *const kinds[] = {
		[SAMPLE_NORMAL] = "scheduler",
		[SAMPLE_DIRTY_CPU] = "dirty-cpu",
		[SAMPLE_DIRTY_IO] = "dirty-io",
	};
	char text[64] = "other threads";

	if (j->stack->kind > SAMPLE_OTHER && j->stack->kind < SAMPLE_THREAD_KINDS)
		snprintf(text, sizeof(text), "%s %u", kinds[j->stack->kind], j->stack->scheduler);
	push(j, FRAME_GROUP, text);
}

static void push_process(struct joined *j)
{
	enum names_by by = j->request->by == STACK_MERGE_PID	? NAMES_BY_PID
			   : j->request->by == STACK_MERGE_NAME ? NAMES_BY_NAME
								: NAMES_BY_MFA;
	struct named_frame frame = { .kind = FRAME_GROUP, .text = "no process" };

	if (j->stack->process)
		names_process(j->node->names, j->stack->process, by, &frame);
	push(j, FRAME_GROUP, frame.text);
}

static void push_group(struct joined *j)
{
	switch (j->request->by) {
	case STACK_MERGE_NOTHING: return;
	case STACK_MERGE_NODE: push(j, FRAME_GROUP, j->node->name); return;
	case STACK_MERGE_SCHEDULER: push_scheduler(j); return;
	default: push_process(j);
	}
}

/* The process. */

static void push_erlang(struct joined *j, uint64_t address, bool is_caller)
{
	struct named_frame frame;

	if (names_erlang(j->node->names, address, is_caller, &frame))
		push_at(j, frame.kind, frame.text, frame.file, frame.line);
}

/* The address in JIT code to which C code returns; 0: none. */
static uint64_t caller_of_native(const struct sample_stack *stack)
{
	if (!(stack->flags & SAMPLE_FROM_MADE) || !stack->native_count)
		return 0;
	return sample_word_value(stack->native[stack->native_count - 1]);
}

static void push_stack_of_process(struct joined *j)
{
	const struct sample_stack *stack = j->stack;
	uint64_t caller = caller_of_native(stack);
	size_t before = j->count;

	if (stack->flags & (SAMPLE_CUT | SAMPLE_UNREADABLE))
		push(j, FRAME_STATE, PROFILE_CUT);
	for (size_t i = stack->erlang_count; i-- > 0;)
		push_erlang(j, stack->erlang[i], true);
	if (stack->flags & SAMPLE_IN_MADE)
		push_erlang(j, stack->ip, false);
	else if (caller)
		push_erlang(j, caller, true);
	/* A function reached by a tail call that is about to yield is not on the stack. */
	if (j->count == before && stack->flags & SAMPLE_IN_MADE)
		push(j, FRAME_STATE, "code of the VM that functions share");
}

/* A garbage collection belongs to a process. Without grouping by process, its name is part of the frame. */
static void push_collection(struct joined *j)
{
	struct named_frame frame = { .text = "" };
	char text[NAMES_SIZE + 16];

	if (j->request->by == STACK_MERGE_PID || j->request->by == STACK_MERGE_NAME ||
	    j->request->by == STACK_MERGE_MFA) {
		push(j, FRAME_STATE, "GC");
		return;
	}
	names_process(j->node->names, j->stack->process, NAMES_BY_NAME, &frame);
	snprintf(text, sizeof(text), "GC of %s", frame.text);
	push(j, FRAME_STATE, text);
}

/* A frame that is not a function. */
static void push_state(struct joined *j)
{
	uint32_t flags = j->stack->flags;

	if (flags & SAMPLE_IN_GC)
		push_collection(j);
	else if (flags & SAMPLE_IN_PROCESS && j->stack->kind >= SAMPLE_DIRTY_CPU)
		push(j, FRAME_STATE, j->stack->kind == SAMPLE_DIRTY_CPU ? "dirty CPU work" : "dirty IO work");
	else if (flags & SAMPLE_IN_PORT)
		push(j, FRAME_STATE, "port");
	else if (flags & SAMPLE_WAITS)
		push(j, FRAME_STATE, "busy-wait");
	else if (!(flags & SAMPLE_IN_PROCESS) && j->stack->kind)
		push(j, FRAME_STATE, "scheduling");
	else if (!j->stack->kind)
		push(j, FRAME_STATE, "other threads");
}

/* C. */

/*
 * Removes the first frames of each scheduler thread, which are always the same: two of the C library, known by name,
 * and two of the VM. Returns the number of frames left of `count`, newest first.
 */
static size_t without_beginning(struct joined *j, const uint64_t *frames, size_t count)
{
	struct named_frame frame;

	if (j->stack->kind == SAMPLE_OTHER || count < 5)
		return count;
	names_native(j->node->names, frames[count - 2], &frame);
	return strstr(frame.text, "`start_thread") ? count - 4 : count;
}

/* Probes record no C stack. */
static bool has_native(const struct sample_stack *stack)
{
	return !(stack->flags & SAMPLE_IN_MADE) && stack->ip;
}

static void unwind_native(struct joined *j)
{
	struct unwind_source source = names_unwind_source(j->node->names);

	if (!has_native(j->stack))
		return;
	j->native_count = without_beginning(j, j->native, unwind(&source, j->stack, j->native));
}

static void push_native(struct joined *j)
{
	struct named_frame frame;

	for (size_t i = j->native_count; i-- > 0;) {
		names_native(j->node->names, j->native[i], &frame);
		push(j, frame.kind, frame.text);
	}
}

/* The return address in Erlang code of the C code or BIF on top; 0: none. */
static uint64_t caller_of_bif(struct names *names, const struct sample_stack *stack)
{
	uint64_t caller = caller_of_native(stack);
	struct named_frame frame;

	if (!caller || !stack->erlang_count || names_erlang(names, caller, true, &frame))
		return 0;
	return stack->erlang[0];
}

/* A BIF or NIF that no C frame names. */
static void push_called(struct joined *j)
{
	uint64_t address = j->native_count ? caller_of_bif(j->node->names, j->stack) : 0;
	const char *bif = address ? names_called(j->node->names, address) : NULL;
	struct named_frame frame;

	for (size_t i = 0; bif && i < j->native_count; i++) {
		names_native(j->node->names, j->native[i], &frame);
		if (frame.kind == FRAME_BIF)
			return;
	}
	if (bif)
		push(j, FRAME_BIF, bif);
}

static void push_kernel(struct joined *j, struct symbols *kernel)
{
	char text[NAMES_SIZE];

	for (size_t i = j->stack->kernel_count; i-- > 0;) {
		const char *name = text;

		symbols_text(kernel, 0, j->stack->kernel[i], SYMBOL_KSYM, text, sizeof(text));
		if (!strncmp(text, "vmlinux`", strlen("vmlinux`")))
			name += strlen("vmlinux`");
		push(j, FRAME_KERNEL, name);
	}
}

static void count(struct stack_merge_counts *counts, const struct sample_stack *stack)
{
	if (stack->flags & SAMPLE_WAITS)
		counts->waiting += stack->count;
	if (stack->flags & SAMPLE_NO_STACK)
		counts->unknown += stack->count;
	if (stack->flags & SAMPLE_UNREADABLE)
		counts->torn += stack->count;
	if (stack->flags & SAMPLE_CUT)
		counts->cut += stack->count;
}

void stack_merge_add(const struct stack_merge *join, const struct stack_merge_node *node,
		     const struct sample_stack *stack, uint64_t weight, const char *state)
{
	struct joined j = {
		.profile = join->profile,
		.request = join->request,
		.node = node,
		.stack = stack,
		.is_wanted = !join->request->function,
	};

	push_group(&j);
	push_stack_of_process(&j);
	unwind_native(&j);
	push_called(&j);
	if (state)
		push(&j, FRAME_STATE, state);
	else
		push_state(&j);
	push_native(&j);
	push_kernel(&j, join->kernel);
	if (!j.is_wanted) {
		join->counts->left_out += stack->count;
		return;
	}
	count(join->counts, stack);
	profile_add(join->profile, j.frames, j.count, stack->count * weight);
}

const char *join_lock(const struct sample_stack *stack, const char *name, char text[STACK_MERGE_LOCK_SIZE])
{
	if (!(stack->flags & SAMPLE_FOR_LOCK))
		return NULL;
	if (!*name || stack->lock_kind >= LOCKS_OTHER)
		return "waiting for a lock of the VM";
	if (stack->lock_kind == LOCKS_TABLE)
		snprintf(text, STACK_MERGE_LOCK_SIZE, "waiting for a lock of the table %s", name);
	else
		snprintf(text, STACK_MERGE_LOCK_SIZE, "waiting for the lock %s of %s", name,
			 stack->lock_kind == LOCKS_PROCESS ? "a process" : "the VM");
	return text;
}

void join_meet(struct names *names, const struct sample_stack *stack)
{
	uint64_t caller = caller_of_native(stack);

	for (size_t i = 0; i < stack->erlang_count; i++)
		names_meet_erlang(names, stack->erlang[i], true);
	if (stack->flags & SAMPLE_IN_MADE) {
		names_meet_erlang(names, stack->ip, false);
		return;
	}
	if (caller)
		names_meet_erlang(names, caller, true);
	/* Slow, so only for stacks that are shown: otherwise later stacks would be read too late. */
	if (has_native(stack) && caller_of_bif(names, stack))
		names_called(names, stack->erlang[0]);
	names_meet_native(names, stack->ip);
	for (size_t i = 0; i < stack->native_count; i++)
		names_meet_native(names, sample_word_value(stack->native[i]));
}
