// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a function of x86-64. A first byte that is odd: they are taken as they are. Else each stands for an
 * instruction that functions have, so that there are ways. If places before the returns are found, the function is
 * walked on ways by chance: whoever returns must have passed one place, once, and the register that is said to hold the
 * result there must do so. If there is a place for a probe at the entry, it must be passed as often as the first byte,
 * with the same values. The walk knows nothing of the graph but where a table of jumps leads.
 */
#include <errno.h>

#include "fuzz.h"
#include "probe/code/entry.h"
#include "probe/code/flow.h"
#include "probe/code/flow_exit.h"

#define ADDRESS 0x1000
#define TABLE 0x2000
#define MOST_BYTES 2048
#define MOST_STEPS 600
#define WALKS 24

static struct {
	unsigned char bytes[MOST_BYTES];
	size_t size;
	const uint8_t *table;
	size_t table_size;
} code;

/* Making functions. */

#define WORD(...)                                                                                                      \
	{                                                                                                              \
		sizeof((unsigned char[]){ __VA_ARGS__ }),                                                              \
		{                                                                                                      \
			__VA_ARGS__                                                                                    \
		}                                                                                                      \
	}
static const struct {
	size_t size;
	unsigned char bytes[24];
} words[] = {
	WORD(0x55),					   /* push %rbp */
	WORD(0x5b),					   /* pop %rbx */
	WORD(0x90),					   /* nop */
	WORD(0xc3),					   /* ret */
	WORD(0x85, 0xff),				   /* test %edi,%edi */
	WORD(0x31, 0xc0),				   /* xor %eax,%eax */
	WORD(0x48, 0x89, 0xd8),				   /* mov %rbx,%rax */
	WORD(0x48, 0x89, 0xc3),				   /* mov %rax,%rbx */
	WORD(0x4c, 0x89, 0xe8),				   /* mov %r13,%rax */
	WORD(0x49, 0x89, 0xc5),				   /* mov %rax,%r13 */
	WORD(0x89, 0xd8),				   /* mov %ebx,%eax */
	WORD(0x48, 0x93),				   /* xchg %rax,%rbx */
	WORD(0x48, 0x0f, 0x44, 0xc3),			   /* cmove %rbx,%rax */
	WORD(0x48, 0x89, 0x4b, 0x08),			   /* mov %rcx,8(%rbx) */
	WORD(0xe8, 0, 0, 1, 0),				   /* call */
	WORD(0x0f, 0x0b),				   /* ud2 */
	WORD(0x0f, 0x05),				   /* syscall */
	WORD(0x64, 0x48, 0x2b, 0x14, 0x25, 0x28, 0, 0, 0), /* sub %fs:0x28,%rdx */
	WORD(0x83, 0xff, 0x02, 0x77, 0x80,		   /* cmp $2,%edi; ja; lea TABLE(%rip),%rdx; movslq; add; jmp */
	     0x48, 0x8d, 0x15, 0, 0, 0, 0, 0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0xff, 0xe0),
};
#define JUMPS 12 /* more numbers: je, jne, jmp with a distance in the next byte */

static void add(const void *bytes, size_t size)
{
	if (code.size + size > MOST_BYTES)
		return;
	memcpy(code.bytes + code.size, bytes, size);
	code.size += size;
}

static void add_word(size_t word, uint8_t next)
{
	size_t begin = code.size;

	add(words[word].bytes, words[word].size);
	if (word != sizeof(words) / sizeof(*words) - 1 || code.size == begin)
		return;
	code.bytes[begin + 4] = next;
	uint32_t distance = (uint32_t)(TABLE - (ADDRESS + begin + 12));
	memcpy(code.bytes + begin + 8, &distance, sizeof(distance));
}

static void make(const uint8_t *data, size_t size)
{
	static const unsigned char opcodes[] = { 0x74, 0x75, 0xeb };
	size_t count = sizeof(words) / sizeof(*words);

	for (size_t i = 0; i + 1 < size; i++) {
		size_t word = data[i] % (count + JUMPS);

		if (word < count) {
			add_word(word, data[i + 1]);
			continue;
		}
		add(&opcodes[word % sizeof(opcodes)], 1);
		add(&data[++i], 1);
	}
}

static int read_table(void *data, uint64_t address, void *buf, size_t size)
{
	(void)data;
	for (size_t i = 0; i < size; i++) {
		int32_t distance;
		uint64_t at = address - TABLE + i;

		if (!code.table_size || at / 4 >= 64)
			return -ENOENT;
		/* Distances that lead into the function, mostly. */
		distance = ADDRESS - TABLE + code.table[at / 4 % code.table_size];
		((unsigned char *)buf)[i] = (unsigned char)((uint32_t)distance >> 8 * (at % 4));
	}
	return 0;
}

/* Walking. */

struct walker {
	const struct flow *flow;
	const struct flow_exits *exits;	 /* NULL: there are none */
	const struct entry_place *entry; /* the same */
	size_t first, entered;		 /* how often the first byte was passed, and the place at the entry */
	uint64_t given[X86_PLACES];	 /* values at the first byte */
	uint64_t chance;
	uint64_t values[X86_PLACES]; /* each different */
	uint64_t last_value;
	size_t passed;
	uint64_t promised; /* what the result will be; 0: nothing is said */
};

static uint64_t roll(struct walker *w)
{
	w->chance ^= w->chance >> 12;
	w->chance ^= w->chance << 25;
	w->chance ^= w->chance >> 27;
	return w->chance * 0x2545f4914f6cdd1dULL >> 32;
}

static void pass_places(struct walker *w, size_t at)
{
	for (size_t i = 0; w->exits && i < w->exits->count; i++) {
		const struct flow_exit *exit = &w->exits->exits[i];

		if (exit->at != at)
			continue;
		w->passed++;
		w->promised = exit->value == X86_NOWHERE ? 0 : w->values[exit->value];
	}
}

static void pass_entry(struct walker *w, size_t at)
{
	if (!at) {
		must(!w->entry || w->first == w->entered, "who passes the first byte passes the place at the entry");
		w->first++;
		memcpy(w->given, w->values, sizeof(w->given));
	}
	if (!w->entry || at != w->entry->offset)
		return;
	must(++w->entered == w->first, "who passes the place at the entry has passed the first byte");
	for (size_t i = 0; i < X86_PLACES; i++)
		must(w->entry->now[i] == X86_NOWHERE || w->values[w->entry->now[i]] == w->given[i],
		     "arguments are where they are said to be");
}

static void execute(struct walker *w, const struct x86 *x)
{
	const ZydisDecodedOperand *ops = x->operands;
	uint64_t moved = 0;

	if (x->info.mnemonic == ZYDIS_MNEMONIC_MOV && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].size == 64 &&
	    x86_place(ops[1].reg.value) != X86_NOWHERE)
		moved = w->values[x86_place(ops[1].reg.value)];
	for (unsigned char place = 0; place < X86_PLACES; place++) {
		if (x86_writes(x, place))
			w->values[place] = moved ? moved : ++w->last_value;
	}
}

/* Where it goes on; false: nowhere. */
static bool go_on(struct walker *w, size_t *at, const struct x86 *x)
{
	bool is_relative = x->info.raw.imm[0].is_relative;
	size_t next = *at + x->info.length, target = next + x->info.raw.imm[0].value.u, cases = 0, to;

	switch (x->info.meta.category) {
	case ZYDIS_CATEGORY_CALL:
		*at = next;
		/* One in eight does not return. */
		return roll(w) % 8;
	case ZYDIS_CATEGORY_COND_BR: *at = roll(w) % 2 ? next : target; return true;
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (is_relative) {
			*at = target;
			return true;
		}
		while (flow_next(w->flow, *at, cases, &to))
			cases++;
		return cases && flow_next(w->flow, *at, roll(w) % cases, at);
	default: *at = next; return x->info.mnemonic != ZYDIS_MNEMONIC_UD2 && x->info.mnemonic != ZYDIS_MNEMONIC_HLT;
	}
}

static bool is_guard(size_t at)
{
	static const unsigned char check[] = { 0x64, 0x48, 0x2b, 0x14, 0x25, 0x28, 0, 0, 0, 0x75 };

	return at >= 9 && at < code.size && !memcmp(code.bytes + at - 9, check, sizeof(check));
}

static void walk(struct walker *w)
{
	size_t at = 0;

	for (size_t steps = 0; steps < MOST_STEPS; steps++) {
		size_t from = at;
		struct x86 x;

		must(!w->exits || at < code.size, "no way leads out of a function whose ways are all known");
		if (at >= code.size || !x86_read(&x, code.bytes + at, code.size - at)) {
			must(!w->exits, "each way leads to instructions");
			return;
		}
		pass_entry(w, at);
		pass_places(w, at);
		if (x.info.meta.category == ZYDIS_CATEGORY_RET) {
			must(!w->exits || w->passed == 1, "who returns has passed one place, once");
			must(!w->promised || w->promised == w->values[X86_RAX], "the result is where it is said to be");
			return;
		}
		execute(w, &x);
		if (!go_on(w, &at, &x))
			return;
		/* What is called where the guard was changed ends the process; so does a call that is the last. */
		if (is_guard(from) && at != from + x.info.length && at < code.size && code.bytes[at] == 0xe8)
			return;
		if (x.info.meta.category == ZYDIS_CATEGORY_CALL && at == code.size)
			return;
		if (x.info.meta.category == ZYDIS_CATEGORY_CALL && w->flow->bytes[from].kind == FLOW_STOP)
			return;
	}
}

static void check_exits(const struct flow *flow, const struct flow_exits *exits)
{
	must(exits->count && exits->count <= FLOW_EXITS, "there are some places");
	for (size_t i = 0; i < exits->count; i++)
		must(flow->bytes[exits->exits[i].at].length, "a place is an instruction");
}

static void check(const struct flow_code *given, const struct flow *flow)
{
	struct flow_exits exits;
	struct entry_place entry;
	bool has_exits = flow_find_exits(flow, &exits), has_entry = entry_find_cheap_in(given, true, &entry);

	if (has_exits)
		check_exits(flow, &exits);
	for (uint64_t i = 0; i < WALKS && (has_exits || has_entry); i++) {
		struct walker w = {
			.flow = flow,
			.exits = has_exits ? &exits : NULL,
			.entry = has_entry ? &entry : NULL,
			.chance = i * 0x9e3779b97f4a7c15 + 1,
		};

		for (size_t place = 0; place < X86_PLACES; place++)
			w.values[place] = ++w.last_value;
		walk(&w);
	}
}

static void fuzz(const uint8_t *data, size_t size)
{
	struct flow_code given = { .bytes = code.bytes, .address = ADDRESS, .read = read_table };
	struct flow flow;

	if (size < 2)
		return;
	code.size = 0;
	code.table = data;
	code.table_size = size;
	if (data[0] & 1)
		add(data + 1, size - 1 < MOST_BYTES ? size - 1 : MOST_BYTES);
	else
		make(data + 1, size - 1);
	given.size = code.size;
	if (flow_make(&given, &flow))
		return;
	check(&given, &flow);
	flow_free(&flow);
}
