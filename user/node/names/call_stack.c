// SPDX-License-Identifier: BSD-2-Clause
/*
 * In a waiting process, `current` points to the MFA of the function in which it continues, or is 0 and `i` is an
 * address in its code; the stack has the return addresses of its callers. In a running process, the JIT keeps the end
 * of the stack in a register, and stores it when it calls a function of the VM, a BIF or a NIF. The newest word is then
 * the return address of that call, and the code before it contains the address of the called Export: so a long-running
 * BIF is found by its caller. In OTP 25, `current` is the BIF, too; in later releases only for BIFs called through a
 * trap, and it may be out of date.
 *
 * Source: emit_call_light_bif_shared() in jit/x86/instr_bif.cpp and emit_i_call_ext() in instr_call.cpp in 25.2.3,
 * 27.3.4.1 and 29.1.1, and the code that they generate; STACK_START() in erl_process.h; struct Export in export.h.
 */
#include "node/names/call_stack.h"

#include <string.h>

#include "base/cleanup.h"
#include "node/atoms/atoms.h"
#include "node/code/code.h"
#include "node/code/jit_calls.h"
#include "target/reader/procfs.h"

#define STACK_WORDS 96	 /* read from the stack */
#define MOST_TRIED 16	 /* words that may look like code addresses */
#define CALL_BYTES 40	 /* before a return address, which contain the call */
#define CALL_BYTES_X86 5 /* of a relative call */
#define SET_BYTES_X86 10 /* of an instruction that loads an address into a register */
#define EXPORT_WORDS 11	 /* of an Export, up to its MFA */
#define EXPORT_CODES 4	 /* code addresses at its start (ERTS_ADDRESSV_SIZE) */
#define LEAST_MFA_WORD 7 /* offset of its MFA: 7 in OTP 25, 8 in OTP 29 */
#define MAX_ARITY 255
#define MOST_CODE (4ULL << 30) /* bytes of memory that contains the JIT's code */

static uint64_t function_id(const uint64_t mfa[3])
{
	if (atom_of_term(mfa[0]) == ATOM_NONE || atom_of_term(mfa[1]) == ATOM_NONE || mfa[2] > MAX_ARITY)
		return 0;
	return erl_id_of_mfa(mfa[0], mfa[1], mfa[2]);
}

/* Shows direct recursion once. */
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

/* As process_info/2: without an MFA, use the code address. */
static uint64_t waits_in(const struct target *target, const struct name_fields *fields)
{
	uint64_t function = function_of_mfa(target, fields->current), mfa[3];

	if (!function && fields->code && !code_function_at(target, fields->code, mfa, NULL))
		function = function_id(mfa);
	return function;
}

static bool is_in_code_of(uint64_t address, uint64_t other)
{
	return (address > other ? address - other : other - address) < MOST_CODE;
}

/*
 * Words that look like an MFA precede each function in code. An Export begins with code addresses, and its caller at
 * `from` is code, too.
 */
static bool read_export(const struct target *target, uint64_t address, uint64_t from, struct called_code *called)
{
	uint64_t words[EXPORT_WORDS], id = 0;

	if (address & 7 || procfs_memory(target->pid, address, words, sizeof(words)))
		return false;
	for (size_t i = 0; i < EXPORT_CODES; i++) {
		if (!is_in_code_of(words[i], from))
			return false;
	}
	for (size_t i = LEAST_MFA_WORD; !id && i + 3 <= EXPORT_WORDS; i++)
		id = function_id(words + i);
	*called = (struct called_code){ .id = id, .code = words[0] };
	return id;
}

/* The first address of an Export in a piece of code. */
static bool find_export(const struct target *target, const unsigned char *code, size_t size, uint64_t address,
			struct called_code *called)
{
	_cleanup_free_ uint64_t *held = NULL;
	bool is_found = false;
	size_t count;

	if (jit_calls_find(image_arch(target->vm->image), code, size, address, &held, &count))
		return false;
	for (size_t i = 0; !is_found && i < count; i++)
		is_found = read_export(target, held[i], address, called);
	return is_found;
}

/* Calls within a module are relative. */
static bool is_near(const struct target *target, const unsigned char *call, uint64_t address,
		    struct called_code *called)
{
	uint64_t mfa[3], start;
	int32_t distance;

	if (*call != 0xe8)
		return false;
	memcpy(&distance, call + 1, sizeof(distance));
	called->code = address + (uint64_t)(int64_t)distance;
	called->is_near = true;
	if (code_function_at(target, called->code, mfa, &start) || start != called->code)
		return false;
	called->id = function_id(mfa);
	return called->id != 0;
}

bool call_stack_called(const struct target *target, uint64_t address, struct called_code *called)
{
	unsigned char code[CALL_BYTES];
	uint64_t from = address - sizeof(code);

	*called = (struct called_code){};
	if (procfs_memory(target->pid, from, code, sizeof(code)))
		return false;
	if (image_arch(target->vm->image) != ARCH_X86_64)
		return find_export(target, code, sizeof(code), from, called);
	if (is_near(target, code + sizeof(code) - CALL_BYTES_X86, address, called))
		return true;
	/* The nearest one: earlier ones belong to completed calls. */
	for (size_t at = sizeof(code) - SET_BYTES_X86 + 1; at-- > 0;) {
		if (find_export(target, code + at, SET_BYTES_X86, from + at, called))
			return true;
	}
	return false;
}

static size_t read_stack(const struct target *target, const struct stack_place *place, uint64_t words[STACK_WORDS])
{
	uint64_t end = place->heap + place->size * 8, count;

	if (place->stop < place->heap || place->stop >= end)
		return 0;
	/* Without the first word, where a process ends. */
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
	struct called_code called;

	for (size_t i = 0; i < count && tried < MOST_TRIED && frames->count < CALL_STACK_MAX; i++) {
		if (!stack_is_return(&fields->stack, words[i]))
			continue;
		/* A function of the same module has its own frame once it calls another. */
		if (is_running && !tried && call_stack_called(target, words[i], &called) && !called.is_near)
			add(frames, called.id);
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
	/* During garbage collection, the stack is being moved. */
	if (!frames->count && !code_function_at(target, fields->code, mfa, NULL))
		add(frames, function_id(mfa));
}
