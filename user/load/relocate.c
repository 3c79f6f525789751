// SPDX-License-Identifier: BSD-2-Clause
/*
 * libbpf does not relocate without loading. But it lets a handler of a program's section look at the program when all
 * but loading is done, and change its instructions (libbpf_register_prog_handler(), bpf_program__set_insns()). Ours
 * keeps them, and leaves two that return 0 for libbpf to load.
 *
 * To open an object for each class of sites took most of the time of a start: reading its ELF and its types, having the
 * kernel check them, and relocating, for a program that is verified in less.
 */
#include "load/relocate.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "load/optimiser/code.h"
#include "load/optimiser/insn.h"
#include "load/kernel/slow.h"

#define LOG_SIZE                                                                                                       \
	(16u << 20) /* what the verifier says of a long program is longer; kernels before 6.4 then say nothing */
#define STATS_SIZE 4096
#define KEEP_STACK 3 /* instructions of keep_stack() */
#define LOG_STATS 4  /* BPF_LOG_STATS of the kernel: what verifying took */

struct relocated {
	const struct bpf_program *program;
	size_t own; /* instructions of the program itself; functions that it calls follow */
	struct bpf_insn *insns;
	size_t count;
	int types;	 /* fd of the object's BTF */
	void *functions; /* what types its functions have; NULL: it says nothing of them */
	unsigned int function_count, function_size;
};

/* libbpf's callback is told of the program only, so where it is to be kept is here while an object is relocated. */
static struct relocated **filled;

static void *copy_of(const void *data, size_t size)
{
	void *copy = size ? malloc(size) : NULL;

	if (copy)
		memcpy(copy, data, size);
	return copy;
}

static int keep(struct relocated *made, const struct bpf_program *program, const struct bpf_prog_load_opts *options)
{
	size_t functions = (size_t)options->func_info_cnt * options->func_info_rec_size;

	made->count = bpf_program__insn_cnt(program);
	made->insns = copy_of(bpf_program__insns(program), made->count * sizeof(*made->insns));
	made->types = (int)options->prog_btf_fd;
	made->functions = copy_of(options->func_info, functions);
	made->function_count = options->func_info_cnt;
	made->function_size = options->func_info_rec_size;
	return made->insns && (!functions || made->functions) ? 0 : -ENOMEM;
}

static int take_program(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	struct bpf_insn nothing[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int err;

	(void)cookie;
	/* In the order of the object. */
	while ((*filled)->program != program)
		filled++;
	err = keep(*filled, program, options);
	options->func_info_cnt = options->line_info_cnt = 0;
	return err ? err : bpf_program__set_insns(program, nothing, sizeof(nothing) / sizeof(*nothing));
}

void relocate_begin(void)
{
	const struct libbpf_prog_handler_opts options = {
		.sz = sizeof(options),
		.prog_prepare_load_fn = take_program,
	};
	static bool is_done;

	if (is_done)
		return;
	is_done = true;
	libbpf_register_prog_handler("usdt+", BPF_PROG_TYPE_KPROBE, 0, &options);
	libbpf_register_prog_handler("uprobe+", BPF_PROG_TYPE_KPROBE, 0, &options);
	libbpf_register_prog_handler(NULL, BPF_PROG_TYPE_RAW_TRACEPOINT, 0, &options);
}

/* Until they are relocated, programs are their own instructions alone. */
static int make_room(const struct bpf_object *object, struct relocated **programs, size_t *count)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object) {
		struct relocated *made = calloc(1, sizeof(*made));

		if (!made)
			return -ENOMEM;
		made->program = program;
		made->own = bpf_program__insn_cnt(program);
		programs[(*count)++] = made;
	}
	return 0;
}

int relocate_object(struct bpf_object *object, struct relocated **programs, size_t *count)
{
	int err = make_room(object, programs, count);

	filled = programs;
	return err ? err : bpf_object__load(object);
}

void relocated_free(struct relocated *program)
{
	if (!program)
		return;
	free(program->insns);
	free(program->functions);
	free(program);
}

const char *relocated_name(const struct relocated *program)
{
	return bpf_program__name(program->program);
}

/* Changing what is loaded. */

static const struct erl_operand *operand_of_slot(const struct erl_config *config, int slot)
{
	if (slot < ERL_MAX_ARGS)
		return &config->args[slot].operand;
	slot -= ERL_MAX_ARGS;
	return slot % 2 ? &config->guards[slot / 2].right : &config->guards[slot / 2].left;
}

/* Offset of the register that a load of the program stands for: see ERL_PATCH_BASE in erl.h. */
static short register_offset(const struct erl_config *config, int offset)
{
	const struct erl_operand *op = operand_of_slot(config, (offset - ERL_PATCH_BASE) / 16);
	bool is_index = (offset - ERL_PATCH_BASE) % 16 != 0;

	/* Where there is no register, the load is dead; any valid one will do. */
	if (op->base != ERL_BASE_REG || (is_index && !op->has_index))
		return 0;
	return (short)((is_index ? op->index_reg : op->reg) * 8);
}

/* In the program itself: elsewhere such an offset is what it seems. */
static void patch_registers(struct bpf_insn *insns, size_t count, const struct erl_config *config)
{
	for (size_t i = 0; i < count; i++) {
		if (insns[i].code == (BPF_LDX | BPF_MEM | BPF_DW) && insns[i].off >= ERL_PATCH_BASE &&
		    insns[i].off < ERL_PATCH_END)
			insns[i].off = register_offset(config, insns[i].off);
	}
}

static bool is_map(const struct bpf_insn *insn)
{
	return insn_is_wide(insn) && (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE);
}

static void replace_maps(struct bpf_insn *insns, size_t count, const struct relocated_request *request)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t m = 0; is_map(&insns[i]) && m < request->map_count; m++) {
			if (insns[i].imm != request->maps[m].shared)
				continue;
			insns[i].imm = request->maps[m].own;
			break;
		}
	}
}

/* What is constant. */

#define MOST_CONSTANTS 4

struct constants {
	struct code_constants maps[MOST_CONSTANTS];
	size_t count;
};

static void free_constants(struct constants *constants)
{
	while (constants->count)
		free((void *)constants->maps[--constants->count].data);
}

/* NULL: it is no map of one value that programs only read. Whoever made it has frozen it. */
static unsigned char *read_constants(int fd, size_t *size)
{
	struct bpf_map_info info = {};
	uint32_t zero = 0, info_size = sizeof(info);
	unsigned char *data;

	if (bpf_obj_get_info_by_fd(fd, &info, &info_size) || info.type != BPF_MAP_TYPE_ARRAY || info.max_entries != 1 ||
	    !(info.map_flags & BPF_F_RDONLY_PROG))
		return NULL;
	*size = info.value_size;
	/* The kernel writes whole words. */
	data = malloc(((size_t)info.value_size + 7) & ~(size_t)7);
	if (data && !bpf_map_lookup_elem(fd, &zero, data))
		return data;
	free(data);
	return NULL;
}

static void add_constants(struct constants *constants, int fd)
{
	struct code_constants *map = &constants->maps[constants->count];

	for (size_t i = 0; i < constants->count; i++) {
		if (constants->maps[i].fd == fd)
			return;
	}
	if (constants->count == MOST_CONSTANTS)
		return;
	map->fd = fd;
	map->data = read_constants(fd, &map->size);
	constants->count += map->data != NULL;
}

static int leave_out(struct code *code)
{
	struct constants constants = { .count = 0 };
	size_t room = code->count;
	int err;

	for (size_t i = 0; i < code->count; i++) {
		if (is_map(&code->insns[i]) && code->insns[i].src_reg == BPF_PSEUDO_MAP_VALUE)
			add_constants(&constants, code->insns[i].imm);
	}
	err = code_fold(code, constants.maps, constants.count);
	if (!err)
		err = code_drop_unused(code);
	if (!err)
		err = code_close_loops(code, room);
	free_constants(&constants);
	return err;
}

/* Loading. */

/* With the verifier's words, which are printed, if `log_level` is not 0. */
static int load(const struct relocated *program, const struct relocated_request *request, const struct code *code,
		unsigned int log_level, unsigned int log_size)
{
	_cleanup_free_ char *log = log_level ? malloc(log_size) : NULL;
	struct bpf_prog_load_opts options = {
		.sz = sizeof(options),
		.expected_attach_type = (enum bpf_attach_type)request->attach_type,
		.prog_btf_fd = (__u32)program->types,
		.func_info = code->functions,
		.func_info_cnt = code->function_count,
		.func_info_rec_size = code->function_size,
	};
	int fd;

	if (log) {
		log[0] = '\0';
		options.log_level = log_level;
		options.log_buf = log;
		options.log_size = log_size;
	}
	fd = bpf_prog_load(request->type, relocated_name(program), ERL_LICENSE, code->insns, code->count, &options);
	if (log)
		pr_debug("%s:\n%s", relocated_name(program), log);
	return fd;
}

/* Instructions that it begins with, in room that is behind it. */
static void begin_with(struct code *code, const struct bpf_insn *first, size_t count)
{
	if (!count)
		return;
	memmove(code->insns + count, code->insns, code->count * sizeof(*code->insns));
	memcpy(code->insns, first, count * sizeof(*first));
	code->count += count;
	/* The first one is the program. */
	for (unsigned int i = 1; code->functions && i < code->function_count; i++)
		((struct bpf_func_info *)(code->functions + (size_t)i * code->function_size))->insn_off += (uint32_t)
			count;
}

static void slow_down(struct code *code)
{
	struct bpf_insn first[SLOW_MOST];

	begin_with(code, first, slow_begin(first));
}

/*
 * From Linux 6.13 on a program of 64 bytes of stack or more has a stack for each CPU. One of a uprobe can be preempted
 * on kernels that preempt themselves, and others that run it on the CPU then write over what it has there: counts were
 * wrong on 7.3, and one of its addresses once was another's. A program that makes tail calls is on the stack of its
 * thread (check_max_stack_depth() of the verifier). The one here is behind a branch that always goes past it.
 */
static void keep_stack(struct code *code)
{
	static const struct bpf_insn first[KEEP_STACK] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 1 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call },
	};

	begin_with(code, first, KEEP_STACK);
}

int relocated_load(const struct relocated *program, const struct relocated_request *request)
{
	size_t functions_size = (size_t)program->function_count * program->function_size;
	_cleanup_free_ struct bpf_insn *insns = calloc(program->count + SLOW_MOST + KEEP_STACK, sizeof(*insns));
	_cleanup_free_ unsigned char *functions = copy_of(program->functions, functions_size);
	struct code code = {
		.insns = insns,
		.count = program->count,
		.functions = functions,
		.function_count = program->function_count,
		.function_size = program->function_size,
	};
	int fd;

	if (!insns || (functions_size && !functions))
		return -ENOMEM;
	memcpy(insns, program->insns, program->count * sizeof(*insns));
	code_confine(insns, program->count, request->reads);
	if (request->registers)
		patch_registers(insns, program->own, request->registers);
	replace_maps(insns, program->count, request);
	/* If it can't, the kernel does it. */
	if (leave_out(&code) == -ENOMEM)
		return -ENOMEM;
	slow_down(&code);
	if (request->keeps_stack)
		keep_stack(&code);
	fd = load(program, request, &code, log_shows(LOG_DEBUG) ? LOG_STATS : 0, STATS_SIZE);
	/* Once more, to hear why. */
	if (fd < 0 && log_shows(LOG_DEBUG)) {
		int heard = load(program, request, &code, 1, LOG_SIZE);

		if (heard >= 0)
			return heard;
	}
	return fd;
}
