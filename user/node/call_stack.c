// SPDX-License-Identifier: BSD-2-Clause
/*
 * Of a process that waits, `current` leads to the MFA of the function that it will go on in, or is 0 and `i` is an
 * address in its code, and the stack has the addresses where its callers go on. Of one that runs, the JIT keeps the end
 * of the stack in a register; it stores it when it calls a function of the VM, a BIF or a NIF. The newest word is then
 * the address behind that call, and the code before it has the address of the Export of what is called: so a BIF that
 * takes long is found by its caller. In OTP 25 `current` has the BIF too, in later releases only for BIFs that are
 * called through a trap; it may be out of date.
 *
 * Source: emit_call_light_bif_shared() of jit/x86/instr_bif.cpp and emit_i_call_ext() of instr_call.cpp in 25.2.3,
 * 27.3.4.1 and 29.1.1, and the code that these make; STACK_START() of erl_process.h; struct Export of export.h.
 */
#include "node/call_stack.h"

#include <string.h>

#include "base/cleanup.h"
#include "node/atoms.h"
#include "node/code.h"
#include "node/jit_calls.h"
#include "target/procfs.h"

#define STACK_WORDS 96	 /* that are looked at */
#define MOST_TRIED 16	 /* of which so many may look like addresses of code */
#define CALL_BYTES 40	 /* before the address where a function goes on, in which its call is */
#define EXPORT_WORDS 11	 /* of an Export, in which its MFA is */
#define LEAST_MFA_WORD 7 /* where that begins: 7 in OTP 25, 8 in OTP 29 */
#define MAX_ARITY 255

static uint64_t function_id(const uint64_t mfa[3])
{
	if (atom_of_term(mfa[0]) == ATOM_NONE || atom_of_term(mfa[1]) == ATOM_NONE || mfa[2] > MAX_ARITY)
		return 0;
	return erl_id_of_mfa(mfa[0], mfa[1], mfa[2]);
}

/* A recursion is shown once. */
static void add(struct call_stack *frames, uint64_t function)
{
	if (function && frames->count < CALL_STACK_MAX &&
	    (!frames->count || frames->functions[frames->count - 1] != function))
		frames->functions[frames->count++] = function;
}

static uint64_t function_of_mfa(const struct target *target, uint64_t address)
{
	uint64_t mfa[3];

	return address && !procfs_memory(target->pid, address, mfa, sizeof(mfa)) ? function_id(mfa) : 0;
}

/* As process_info/2 does it: without an MFA of its own, it goes on at an address of code. */
static uint64_t waits_in(const struct target *target, const struct name_fields *fields)
{
	uint64_t function = function_of_mfa(target, fields->current), mfa[3];

	if (!function && fields->code && !code_function_at(target, fields->code, mfa, NULL))
		function = function_id(mfa);
	return function;
}

static uint64_t function_of_export(const struct target *target, uint64_t address)
{
	uint64_t words[EXPORT_WORDS], function = 0;

	if (address & 7 || procfs_memory(target->pid, address, words, sizeof(words)))
		return 0;
	for (size_t i = LEAST_MFA_WORD; !function && i + 3 <= EXPORT_WORDS; i++)
		function = function_id(words + i);
	return function;
}

uint64_t call_stack_called(const struct target *target, uint64_t address)
{
	_cleanup_free_ uint64_t *held = NULL;
	unsigned char code[CALL_BYTES];
	uint64_t function = 0;
	size_t count;

	if (procfs_memory(target->pid, address - sizeof(code), code, sizeof(code)) ||
	    jit_calls_find(image_arch(target->vm->image), code, sizeof(code), address - sizeof(code), &held, &count))
		return 0;
	for (size_t i = 0; !function && i < count; i++)
		function = function_of_export(target, held[i]);
	return function;
}

static size_t read_stack(const struct target *target, const struct stack_place *place, uint64_t words[STACK_WORDS])
{
	uint64_t end = place->heap + place->size * 8, count;

	if (place->stop < place->heap || place->stop >= end)
		return 0;
	/* Without the first one, where a process goes on that has nothing left to do. */
	count = (end - place->stop) / 8 - 1;
	if (count > STACK_WORDS)
		count = STACK_WORDS;
	return procfs_memory(target->pid, place->stop, words, count * 8) ? 0 : count;
}

static void add_callers(const struct target *target, const struct name_fields *fields, bool is_running,
			struct call_stack *frames)
{
	uint64_t words[STACK_WORDS], mfa[3];
	size_t count = read_stack(target, &fields->stack, words), tried = 0;

	for (size_t i = 0; i < count && tried < MOST_TRIED && frames->count < CALL_STACK_MAX; i++) {
		if (!stack_is_return(&fields->stack, words[i]))
			continue;
		if (is_running && !tried)
			add(frames, call_stack_called(target, words[i]));
		tried++;
		if (!code_function_at(target, words[i], mfa, NULL))
			add(frames, function_id(mfa));
	}
}

void call_stack_read(const struct target *target, const struct name_fields *fields, bool is_running,
		     struct call_stack *frames)
{
	uint64_t mfa[3];

	*frames = (struct call_stack){};
	if (!is_running)
		add(frames, waits_in(target, fields));
	add_callers(target, fields, is_running, frames);
	/* While it is collected, its stack is being moved. */
	if (!frames->count && !code_function_at(target, fields->code, mfa, NULL))
		add(frames, function_id(mfa));
}
