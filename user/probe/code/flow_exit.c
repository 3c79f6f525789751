// SPDX-License-Identifier: BSD-2-Clause
/*
 * A place is equivalent to the returns that follow it if no function is called from there on, no path leads back to it,
 * and all paths into the code behind it lead over it: then each pass is followed by one return, and each return was
 * preceded by one pass. It is enough to look at a few instructions behind it, and to compare the number of paths that
 * lead to each with those that come from the place itself.
 *
 * The register that holds the future value of rax is found backwards from the returns.
 */
#include "probe/code/flow_exit.h"

#define MOST_BEHIND 40 /* instructions between the place and the returns */
#define MOST_RETURNS 16
#define ALL_REGISTERS ((1u << X86_PLACES) - 1)

/* The code between a place and the returns. */
struct tail {
	const struct flow *flow;
	size_t at[MOST_BEHIND];
	uint32_t registers[MOST_BEHIND]; /* a bit for each register that holds the return value, before each instruction
					  */
	size_t count;
};

static bool find_in_tail(const struct tail *tail, size_t at, size_t *index)
{
	for (*index = 0; *index < tail->count; ++*index) {
		if (tail->at[*index] == at)
			return true;
	}
	return false;
}

static bool add_instruction(struct tail *tail, size_t at)
{
	const struct flow_byte *byte = &tail->flow->bytes[at];
	struct x86 x;

	if (tail->count == MOST_BEHIND || byte->kind == FLOW_CALL || byte->kind == FLOW_SWITCH ||
	    (byte->kind == FLOW_STOP && !byte->no_return))
		return false;
	/* System calls and similar. */
	if (byte->kind == FLOW_PLAIN) {
		flow_read(tail->flow, at, &x);
		if (!flow_goes_on(&x))
			return false;
	}
	tail->at[tail->count++] = at;
	return true;
}

static bool add_following(struct tail *tail, size_t place, size_t at)
{
	size_t next, index;

	for (size_t i = 0; flow_next(tail->flow, at, i, &next); i++) {
		if (next == place || (!find_in_tail(tail, next, &index) && !add_instruction(tail, next)))
			return false;
	}
	return true;
}

static bool collect(struct tail *tail, size_t place)
{
	if (!add_following(tail, place, place))
		return false;
	for (size_t i = 0; i < tail->count; i++) {
		if (!add_following(tail, place, tail->at[i]))
			return false;
	}
	return true;
}

static size_t ways_from(const struct flow *flow, size_t from, size_t to)
{
	size_t next, ways = 0;

	for (size_t i = 0; flow_next(flow, from, i, &next); i++)
		ways += next == to;
	return ways;
}

/* Paths into the tail come only from the place and the tail itself. Code that ends the process may be shared. */
static bool is_entered_only_from(const struct tail *tail, size_t place)
{
	for (size_t i = 0; i < tail->count; i++) {
		size_t ways = ways_from(tail->flow, place, tail->at[i]);

		if (tail->flow->bytes[tail->at[i]].kind == FLOW_STOP)
			continue;
		for (size_t from = 0; from < tail->count; from++)
			ways += ways_from(tail->flow, tail->at[from], tail->at[i]);
		if (ways != tail->flow->bytes[tail->at[i]].ways)
			return false;
	}
	return true;
}

/* Values of registers. */

static uint32_t bit_of(unsigned char place)
{
	return place < X86_PLACES ? 1u << place : 0;
}

/* The registers that hold the value before the instruction, from those after it. */
static uint32_t before(const struct x86 *x, uint32_t after)
{
	const ZydisDecodedOperand *ops = x->operands;
	uint32_t registers = after;

	for (unsigned char place = 0; place < X86_PLACES; place++) {
		if (x86_writes(x, place))
			registers &= ~bit_of(place);
	}
	if (x->info.mnemonic == ZYDIS_MNEMONIC_MOV && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].size == 64 &&
	    ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && after & bit_of(x86_place(ops[0].reg.value)))
		registers |= bit_of(x86_place(ops[1].reg.value));
	return registers;
}

/* The registers after it, on all paths. Code that does not return has no requirement. */
static uint32_t after(const struct tail *tail, size_t at)
{
	uint32_t registers = ALL_REGISTERS;
	size_t next, index;

	if (tail->flow->bytes[at].kind == FLOW_RETURN)
		return bit_of(X86_RAX);
	for (size_t i = 0; flow_next(tail->flow, at, i, &next); i++) {
		if (find_in_tail(tail, next, &index))
			registers &= tail->registers[index];
	}
	return registers;
}

static void follow_values(struct tail *tail)
{
	bool is_changed = true;

	for (size_t i = 0; i < tail->count; i++)
		tail->registers[i] = ALL_REGISTERS;
	while (is_changed) {
		is_changed = false;
		for (size_t i = tail->count; i-- > 0;) {
			uint32_t registers;
			struct x86 x;

			flow_read(tail->flow, tail->at[i], &x);
			registers = before(&x, after(tail, tail->at[i]));
			is_changed |= registers != tail->registers[i];
			tail->registers[i] = registers;
		}
	}
}

static unsigned char choose_register(uint32_t registers)
{
	if (registers & bit_of(X86_RAX))
		return X86_RAX;
	for (unsigned char place = 0; place < X86_PLACES; place++) {
		if (registers & bit_of(place) && place != X86_RSP)
			return place;
	}
	return X86_NOWHERE;
}

/* Memory. */

static void add_store(struct flow_exit *exit, const ZydisDecodedOperand *to, uint32_t registers)
{
	unsigned char base = x86_place(to->mem.base);

	if (to->mem.index == ZYDIS_REGISTER_NONE && base == X86_RSP)
		return;
	if (to->mem.index != ZYDIS_REGISTER_NONE || !(bit_of(base) & registers) || exit->store_count == FLOW_STORES ||
	    to->mem.segment == ZYDIS_REGISTER_FS || to->mem.segment == ZYDIS_REGISTER_GS) {
		exit->stores_elsewhere = true;
		return;
	}
	exit->stores[exit->store_count++] = (struct flow_store){ to->mem.disp.value, (to->size + 7) / 8 };
}

static void find_stores(const struct tail *tail, struct flow_exit *exit)
{
	for (size_t i = 0; i < tail->count; i++) {
		struct x86 x;

		/* A call that ends the process. */
		if (tail->flow->bytes[tail->at[i]].kind == FLOW_STOP)
			continue;
		flow_read(tail->flow, tail->at[i], &x);
		for (size_t op = 0; op < x.info.operand_count; op++) {
			if (x.operands[op].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			    x.operands[op].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
				add_store(exit, &x.operands[op], tail->registers[i]);
		}
	}
}

bool flow_exit_stores(const struct flow_exit *exit, int64_t offset, uint64_t size)
{
	for (size_t i = 0; i < exit->store_count; i++) {
		const struct flow_store *store = &exit->stores[i];

		if (offset < store->offset + (int64_t)store->size && store->offset < offset + (int64_t)size)
			return true;
	}
	return exit->stores_elsewhere;
}

/* Places. */

static bool is_probed_well(const struct flow *flow, size_t at)
{
	struct x86 x;

	if (flow->bytes[at].kind != FLOW_JUMP && flow->bytes[at].kind != FLOW_BRANCH)
		return false;
	flow_read(flow, at, &x);
	return x86_is_emulated(&x) && !x86_is_refused(&x);
}

/* Collects the code behind the place. False: a return behind it may not have passed the place exactly once. */
static bool make_tail(const struct flow *flow, size_t place, struct tail *tail)
{
	*tail = (struct tail){ .flow = flow };
	return is_probed_well(flow, place) && collect(tail, place) && is_entered_only_from(tail, place);
}

/* The function's returns, and for each the nearest place before it. */
struct returns {
	size_t at[MOST_RETURNS];
	size_t place[MOST_RETURNS];
	size_t distance[MOST_RETURNS]; /* instructions from the place to the return; 0: no place */
	size_t count;
};

static bool find_returns(const struct flow *flow, struct returns *returns)
{
	for (size_t at = 0; at < flow->size; at++) {
		if (flow->bytes[at].kind != FLOW_RETURN)
			continue;
		if (returns->count == MOST_RETURNS)
			return false;
		returns->at[returns->count++] = at;
	}
	return returns->count;
}

static void offer_place(struct returns *returns, size_t place, const struct tail *tail)
{
	size_t index;

	for (size_t i = 0; i < returns->count; i++) {
		if (find_in_tail(tail, returns->at[i], &index) &&
		    (!returns->distance[i] || tail->count < returns->distance[i])) {
			returns->place[i] = place;
			returns->distance[i] = tail->count;
		}
	}
}

static bool has_exit(const struct flow_exits *exits, size_t at)
{
	for (size_t i = 0; i < exits->count; i++) {
		if (exits->exits[i].at == at)
			return true;
	}
	return false;
}

/* False: there is no room. */
static bool add_exit(const struct flow *flow, size_t at, struct flow_exits *exits)
{
	struct flow_exit *exit = &exits->exits[exits->count];
	struct tail tail;

	if (has_exit(exits, at))
		return true;
	if (exits->count == FLOW_EXITS)
		return false;
	exits->count++;
	*exit = (struct flow_exit){ .at = at };
	make_tail(flow, at, &tail);
	follow_values(&tail);
	exit->value = choose_register(after(&tail, at));
	find_stores(&tail, exit);
	return true;
}

/* No path passes two places. */
static bool are_apart(const struct flow *flow, const struct flow_exits *exits)
{
	for (size_t i = 0; i < exits->count; i++) {
		struct tail tail;

		make_tail(flow, exits->exits[i].at, &tail);
		for (size_t n = 0; n < tail.count; n++) {
			if (has_exit(exits, tail.at[n]))
				return false;
		}
	}
	return true;
}

bool flow_find_exits(const struct flow *flow, struct flow_exits *exits)
{
	struct returns returns = {};
	struct tail tail;

	*exits = (struct flow_exits){};
	if (!flow->is_closed || !find_returns(flow, &returns))
		return false;
	for (size_t at = 0; at < flow->size; at++) {
		if (make_tail(flow, at, &tail))
			offer_place(&returns, at, &tail);
	}
	for (size_t i = 0; i < returns.count; i++) {
		if (!returns.distance[i] || !add_exit(flow, returns.place[i], exits))
			return false;
	}
	return are_apart(flow, exits);
}
