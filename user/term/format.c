// SPDX-License-Identifier: BSD-2-Clause
/*
 * Formatting terminates because each term takes space in the buffer, nesting and the number of reads are limited, and
 * strings are scanned only as far as they would fit.
 *
 * Source: io_lib_pretty.erl, io_lib.erl, erts_internal_map_next_3() of erl_map.c (for the order of maps),
 * erl_printf_term.c, of OTP 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "term/format.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "term/atom.h"
#include "term/binary.h"
#include "term/number.h"
#include "term/write.h"

#define MAX_NESTING 64
#define READS_PER_BYTE 4 /* per byte of the buffer */
#define MIN_READS 1024
#define MAX_BINARY 4096 /* bytes that are printed */
#define MAX_REF_NUMBERS 5
#define MAX_BITS (1ULL << 48) /* larger than any memory */

#define IMMEDIATE(term) ((term)&0xf)
#define IMMEDIATE_PID 0x3
#define IMMEDIATE_PORT 0x7
#define IMMEDIATE_SMALL 0xf
#define NIL 0x3b

#define NO_TERM "(no term)"

struct printer {
	const struct term_memory *memory;
	const struct term_vm *vm;
	struct writer w;
	size_t reads; /* remaining */
	int nesting;
};

static void write_term(struct printer *p, uint64_t term);

/* Memory. */

static int take(struct printer *p, uint64_t address, void *to, size_t size)
{
	if (!p->reads)
		return -ENODATA;
	p->reads--;
	return p->memory->read(p->memory->data, address, to, size);
}

static int take_word(struct printer *p, uint64_t address, uint64_t *word)
{
	return take(p, address, word, sizeof(*word));
}

/* Reads as many of the bytes as are available. */
static size_t take_some(struct printer *p, uint64_t address, uint8_t *to, size_t size, int *err)
{
	size_t done = 0;

	*err = 0;
	while (done < size) {
		size_t part = TERM_LINE - (address + done) % TERM_LINE;

		if (part > size - done)
			part = size - done;
		*err = take(p, address + done, to + done, part);
		if (*err)
			break;
		done += part;
	}
	return done;
}

static const char *missing(int err)
{
	return !err ? "" : err == -ENODATA ? "..." : "(unreadable)";
}

static void write_missing(struct printer *p, int err)
{
	write_text(&p->w, missing(err));
}

/* Immediate terms. */

static void write_atom_term(struct printer *p, uint64_t term, enum atom_style style)
{
	char bytes[TERM_ATOM_BYTES];
	int length = TERM_IS_ATOM(term) ? p->vm->atom(p->vm->data, TERM_ATOM_INDEX(term), bytes) : -EINVAL;

	if (length < 0)
		write_format(&p->w, "(atom %" PRIu32 ")", TERM_ATOM_INDEX(term));
	else
		write_atom(&p->w, bytes, (size_t)length, style, p->vm->otp);
}

static void write_id(struct printer *p, uint64_t term, const char *unknown)
{
	char text[TERM_ID_SIZE];

	write_text(&p->w, p->vm->id(p->vm->data, term, text) ? unknown : text);
}

static void write_immediate(struct printer *p, uint64_t term)
{
	if (IMMEDIATE(term) == IMMEDIATE_SMALL)
		write_format(&p->w, "%" PRId64, (int64_t)term >> 4);
	else if (IMMEDIATE(term) == IMMEDIATE_PID)
		write_id(p, term, "(pid)");
	else if (IMMEDIATE(term) == IMMEDIATE_PORT)
		write_id(p, term, "(port)");
	else if (TERM_IS_ATOM(term))
		write_atom_term(p, term, ATOM_TERM);
	else if (term == NIL)
		write_text(&p->w, "[]");
	else
		write_text(&p->w, NO_TERM);
}

/* Lists. */

struct cell {
	uint64_t head, tail;
};

static int take_cell(struct printer *p, uint64_t term, struct cell *cell)
{
	return take(p, TERM_ADDRESS(term), cell, sizeof(*cell));
}

/* A snapshot may end within a cell, after its head. */
static int take_head(struct printer *p, uint64_t term, struct cell *cell)
{
	return take(p, TERM_ADDRESS(term), &cell->head, sizeof(cell->head));
}

static bool is_character(uint64_t term)
{
	return IMMEDIATE(term) == IMMEDIATE_SMALL && is_printable(term >> 4);
}

/* The length if the list is a string, else 0. An incomplete list (*err) may be a string. */
static size_t string_length(struct printer *p, uint64_t term, int *err)
{
	struct cell cell;
	size_t length = 0;

	for (*err = 0; TERM_TAG(term) == TERM_TAG_LIST; length++) {
		*err = length > write_room(&p->w) ? -ENODATA : take_cell(p, term, &cell);
		if (*err && (take_head(p, term, &cell) || is_character(cell.head)))
			return length;
		if (!is_character(cell.head)) {
			*err = 0;
			return 0;
		}
		term = cell.tail;
	}
	return term == NIL ? length : 0;
}

static void write_string(struct printer *p, uint64_t term, size_t length, int err)
{
	struct cell cell;

	write_text(&p->w, "\"");
	for (size_t i = 0; i < length && !take_cell(p, term, &cell); i++) {
		/* A live process may have changed it since string_length(). */
		write_escaped(&p->w, is_character(cell.head) ? (unsigned int)(cell.head >> 4) : '?', '"',
			      WRITE_UNICODE);
		term = cell.tail;
	}
	write_text(&p->w, "\"");
	write_missing(p, err);
}

static void write_elements(struct printer *p, uint64_t term)
{
	const char *separator = "";
	struct cell cell;
	int err;

	for (; TERM_TAG(term) == TERM_TAG_LIST && !p->w.is_full; term = cell.tail) {
		err = take_cell(p, term, &cell);
		if (!err || !take_head(p, term, &cell)) {
			write_text(&p->w, separator);
			write_term(p, cell.head);
			separator = ",";
		}
		if (err) {
			write_text(&p->w, *separator ? "|" : "");
			write_missing(p, err);
			return;
		}
	}
	if (term != NIL) {
		write_text(&p->w, "|");
		write_term(p, term);
	}
}

static void write_list(struct printer *p, uint64_t term)
{
	int err;
	size_t length = string_length(p, term, &err);

	if (length) {
		write_string(p, term, length, err);
		return;
	}
	/* Nothing is available: it may be a string. */
	if (err) {
		write_missing(p, err);
		return;
	}
	write_text(&p->w, "[");
	write_elements(p, term);
	write_text(&p->w, "]");
}

/* Tuples and maps. */

static void write_tuple(struct printer *p, uint64_t at, uint64_t arity)
{
	uint64_t term;
	int err = 0;

	write_text(&p->w, "{");
	for (uint64_t i = 0; !err && i < arity && !p->w.is_full; i++) {
		err = take_word(p, at + 8 + i * 8, &term);
		write_text(&p->w, i ? "," : "");
		if (err)
			write_missing(p, err);
		else
			write_term(p, term);
	}
	write_text(&p->w, "}");
}

static void write_pair(struct printer *p, uint64_t key, uint64_t value, bool *is_first)
{
	write_text(&p->w, *is_first ? "" : ",");
	write_term(p, key);
	write_text(&p->w, " => ");
	write_term(p, value);
	*is_first = false;
}

static void write_missing_pair(struct printer *p, int err, bool *is_first)
{
	write_text(&p->w, *is_first ? "" : ",");
	write_missing(p, err);
	*is_first = false;
}

static void write_flat_map(struct printer *p, uint64_t at)
{
	uint64_t size, keys, key, value;
	bool is_first = true;
	int err = take_word(p, at + TERM_MAP_SIZE, &size);

	if (!err)
		err = take_word(p, at + TERM_MAP_KEYS, &keys);
	if (err)
		write_missing(p, err);
	for (uint64_t i = 0; !err && i < size && !p->w.is_full; i++) {
		err = take_word(p, TERM_ADDRESS(keys) + 8 + i * 8, &key);
		if (!err)
			err = take_word(p, at + TERM_MAP_VALUES + i * 8, &value);
		if (err)
			write_missing_pair(p, err, &is_first);
		else
			write_pair(p, key, value, &is_first);
	}
}

static bool is_map(const struct printer *p, uint64_t header)
{
	return TERM_HEADER_SUBTAG(header) == (p->vm->otp == 25 ? TERM_25_MAP : TERM_27_MAP);
}

/* Number of children of a tree node; -EINVAL if it is invalid. Since OTP 27, keys with equal hashes are in a tuple. */
static int node_children(const struct printer *p, uint64_t header, uint64_t *at, uint64_t *count)
{
	*at += 8;
	if (TERM_TAG(header) != TERM_TAG_HEADER)
		return -EINVAL;
	if (TERM_HEADER_SUBTAG(header) == TERM_TUPLE) {
		*count = TERM_HEADER_ARITY(header);
		return 0;
	}
	if (!is_map(p, header) || TERM_MAP_KIND(header) == TERM_MAP_FLAT)
		return -EINVAL;
	if (TERM_MAP_KIND(header) != TERM_MAP_NODE)
		*at += 8;
	*count = TERM_MAP_KIND(header) == TERM_MAP_HEAD_ARRAY ? 16
							      : (uint64_t)__builtin_popcountll(TERM_MAP_BITS(header));
	return 0;
}

static int write_map_node(struct printer *p, uint64_t at, bool *is_first);

/* A leaf is a list cell with a key and its value. */
static int write_map_child(struct printer *p, uint64_t term, bool *is_first)
{
	struct cell leaf;
	int err;

	if (TERM_TAG(term) == TERM_TAG_BOXED)
		return write_map_node(p, TERM_ADDRESS(term), is_first);
	err = TERM_TAG(term) == TERM_TAG_LIST ? take_cell(p, term, &leaf) : -EINVAL;
	if (!err)
		write_pair(p, leaf.head, leaf.tail, is_first);
	return err;
}

static int write_map_node(struct printer *p, uint64_t at, bool *is_first)
{
	uint64_t header, count, term;
	int err = p->nesting >= MAX_NESTING ? -ENODATA : take_word(p, at, &header);

	if (!err)
		err = node_children(p, header, &at, &count);
	p->nesting++;
	for (uint64_t i = 0; !err && i < count && !p->w.is_full; i++) {
		err = take_word(p, at + i * 8, &term);
		if (!err)
			err = write_map_child(p, term, is_first);
	}
	p->nesting--;
	return err;
}

static void write_map(struct printer *p, uint64_t at, uint64_t header)
{
	bool is_first = true;
	int err;

	write_text(&p->w, "#{");
	if (TERM_MAP_KIND(header) == TERM_MAP_FLAT) {
		write_flat_map(p, at);
	} else {
		err = write_map_node(p, at, &is_first);
		if (err)
			write_missing_pair(p, err, &is_first);
	}
	write_text(&p->w, "}");
}

/* Records of OTP 29. */

static int write_field(struct printer *p, uint64_t at, uint64_t definition, uint64_t field, uint64_t fields)
{
	uint64_t key, value;
	int err = field < fields ? take_word(p, definition + TERM_DEFINITION_KEYS + field * 8, &key) : -EINVAL;

	if (!err)
		err = take_word(p, at + TERM_RECORD_VALUES + field * 8, &value);
	if (err)
		return err;
	write_atom_term(p, key, ATOM_TERM);
	write_text(&p->w, " = ");
	write_term(p, value);
	return 0;
}

static void write_fields(struct printer *p, uint64_t at, uint64_t definition, uint64_t fields)
{
	uint64_t order, field;
	int err = take_word(p, definition + TERM_DEFINITION_ORDER, &order);

	for (uint64_t i = 0; i < fields && !err && !p->w.is_full; i++) {
		write_text(&p->w, i ? "," : "");
		err = take_word(p, TERM_ADDRESS(order) + 8 + i * 8, &field);
		if (!err)
			err = write_field(p, at, definition, field >> 4, fields);
	}
	if (err)
		write_missing(p, err);
}

static void write_record(struct printer *p, uint64_t at, uint64_t header)
{
	uint64_t definition, module, name;
	int err = take_word(p, at + TERM_RECORD_DEFINITION, &definition);

	definition = err ? 0 : TERM_ADDRESS(definition);
	if (!err)
		err = take_word(p, definition + TERM_DEFINITION_MODULE, &module);
	if (!err)
		err = take_word(p, definition + TERM_DEFINITION_NAME, &name);
	write_text(&p->w, "#");
	if (err) {
		write_missing(p, err);
		return;
	}
	write_atom_term(p, module, ATOM_TERM);
	write_text(&p->w, ":");
	write_atom_term(p, name, ATOM_TERM);
	write_text(&p->w, "{");
	write_fields(p, at, definition, TERM_RECORD_FIELDS(header));
	write_text(&p->w, "}");
}

/* Binaries. */

struct bits {
	uint64_t address;
	uint64_t skip; /* bits before the first one */
	uint64_t count;
};

static uint64_t bits_of_bytes(uint64_t bytes)
{
	return bytes < MAX_BITS / 8 ? bytes * 8 : MAX_BITS;
}

static int find_25_sub_binary(struct printer *p, uint64_t at, struct bits *bits)
{
	uint64_t words[5], header, original;
	uint8_t odd[2]; /* bits in the last byte, bits to skip in the first */
	int err = take(p, at, words, sizeof(words));

	if (err)
		return err;
	original = TERM_ADDRESS(words[TERM_25_SUB_ORIGINAL / 8]);
	memcpy(odd, &words[TERM_25_SUB_BITS / 8], sizeof(odd));
	bits->count = bits_of_bytes(words[TERM_BINARY_SIZE / 8]) + odd[0];
	bits->skip = odd[1];
	err = take_word(p, original, &header);
	bits->address = original + TERM_HEAP_DATA;
	if (!err && TERM_HEADER_SUBTAG(header) == TERM_25_REFC_BINARY)
		err = take_word(p, original + TERM_25_REFC_DATA, &bits->address);
	bits->address += words[TERM_25_SUB_OFFSET / 8];
	return err;
}

static int find_25_binary(struct printer *p, uint64_t at, uint64_t subtag, struct bits *bits)
{
	uint64_t size;
	int err;

	if (subtag == TERM_25_SUB_BINARY)
		return find_25_sub_binary(p, at, bits);
	err = take_word(p, at + TERM_BINARY_SIZE, &size);
	*bits = (struct bits){ .address = at + TERM_HEAP_DATA, .count = err ? 0 : bits_of_bytes(size) };
	if (!err && subtag == TERM_25_REFC_BINARY)
		err = take_word(p, at + TERM_25_REFC_DATA, &bits->address);
	return err;
}

static int find_27_binary(struct printer *p, uint64_t at, uint64_t subtag, struct bits *bits)
{
	uint64_t words[TERM_27_SUB_ORIGINAL / 8], base, original;
	int err;

	if (subtag == TERM_27_HEAP_BITS) {
		*bits = (struct bits){ .address = at + TERM_HEAP_DATA };
		return take_word(p, at + TERM_BINARY_SIZE, &bits->count);
	}
	err = take(p, at, words, sizeof(words));
	if (err)
		return err;
	base = words[TERM_27_SUB_BASE / 8] & ~3ULL;
	if (words[TERM_27_SUB_BASE / 8] & TERM_27_SUB_MOVES) {
		err = take_word(p, at + TERM_27_SUB_ORIGINAL, &original);
		if (!err)
			err = take_word(p, TERM_ADDRESS(original) + TERM_27_REF_VALUE, &base);
		base += TERM_27_VALUE_DATA;
	}
	bits->address = base + words[TERM_27_SUB_START / 8] / 8;
	bits->skip = words[TERM_27_SUB_START / 8] % 8;
	bits->count = words[TERM_27_SUB_END / 8] - words[TERM_27_SUB_START / 8];
	return err;
}

/* Shifts the bits to the front of the first byte. */
static void drop_bits(uint8_t *bytes, size_t count, uint64_t skip)
{
	for (size_t i = 0; skip && i < count; i++)
		bytes[i] = (uint8_t)(bytes[i] << skip | (i + 1 < count ? bytes[i + 1] >> (8 - skip) : 0));
}

static void write_binary_term(struct printer *p, uint64_t at, uint64_t subtag)
{
	uint8_t bytes[MAX_BINARY];
	struct bits bits = {};
	uint64_t got, want;
	size_t count;
	int err = p->vm->otp == 25 ? find_25_binary(p, at, subtag, &bits) : find_27_binary(p, at, subtag, &bits);

	if (err) {
		write_text(&p->w, "<<");
		write_missing(p, err);
		write_text(&p->w, ">>");
		return;
	}
	if (bits.count > MAX_BITS)
		bits.count = MAX_BITS;
	bits.skip %= 8;
	want = (bits.skip + bits.count + 7) / 8;
	count = take_some(p, bits.address, bytes, want < sizeof(bytes) ? want : sizeof(bytes), &err);
	drop_bits(bytes, count, bits.skip);
	got = count ? count * 8 - bits.skip : 0;
	if (got < bits.count)
		write_binary(&p->w, bytes, got, missing(err ? err : -ENODATA));
	else
		write_binary(&p->w, bytes, bits.count, "");
}

/* Other boxed terms. */

static void write_float_term(struct printer *p, uint64_t at)
{
	double value;
	int err = take(p, at + 8, &value, sizeof(value));

	if (err)
		write_missing(p, err);
	else
		write_float(&p->w, value);
}

static void write_bignum_term(struct printer *p, uint64_t at, uint64_t header)
{
	uint64_t words[NUMBER_MAX_WORDS], count = TERM_HEADER_ARITY(header);
	size_t size = count * sizeof(*words), got;
	int err = -ENODATA;

	if (count > NUMBER_MAX_WORDS) {
		write_missing(p, err);
		return;
	}
	got = take_some(p, at + 8, (uint8_t *)words, size, &err);
	if (got < size)
		write_missing(p, err);
	else
		write_bignum(&p->w, words, count, TERM_HEADER_SUBTAG(header) == TERM_NEGATIVE_BIG);
}

static void write_ref_numbers(struct printer *p, uint64_t channel, const uint32_t *numbers, uint32_t count)
{
	write_format(&p->w, "#Ref<%" PRIu64, channel);
	while (count)
		write_format(&p->w, ".%" PRIu32, numbers[--count]);
	write_text(&p->w, ">");
}

/* Only OTP 27 prints the pid words of a reference that contains a pid (internal_ref_no_numbers()). */
static void write_ref(struct printer *p, uint64_t at, uint64_t header)
{
	uint32_t marker, numbers[MAX_REF_NUMBERS], count = 3;
	uint64_t magic;
	int err = take(p, at + TERM_REF_MARKER, &marker, sizeof(marker));

	if (!err && marker != UINT32_MAX) {
		err = take_word(p, at + TERM_REF_MAGIC, &magic);
		if (!err)
			err = take(p, magic + TERM_MAGIC_NUMBERS(p->vm->otp), numbers, count * sizeof(*numbers));
	} else if (!err) {
		if (p->vm->otp >= 27 && TERM_HEADER_ARITY(header) > 2)
			count = MAX_REF_NUMBERS;
		err = take(p, at + TERM_REF_NUMBERS, numbers, count * sizeof(*numbers));
	}
	if (err)
		write_missing(p, err);
	else
		write_ref_numbers(p, 0, numbers, count);
}

/* The first number of an external term: the atom of its node's name, or 0 for this node. */
static int take_channel(struct printer *p, uint64_t at, uint64_t *channel)
{
	uint64_t node, name = 0, dist = 0;
	int err = take_word(p, at + TERM_EXTERNAL_NODE, &node);

	if (!err)
		err = take_word(p, node + TERM_NODE_NAME, &name);
	if (!err)
		err = take_word(p, node + TERM_NODE_DIST, &dist);
	if (!err)
		*channel = p->vm->this_dist && dist == p->vm->this_dist ? 0 : name >> 6;
	return err;
}

static void write_external(struct printer *p, uint64_t at, uint64_t subtag)
{
	uint64_t channel, data;
	uint32_t halves[2], numbers[MAX_REF_NUMBERS];
	int err = take_channel(p, at, &channel);

	if (!err)
		err = take_word(p, at + TERM_EXTERNAL_DATA, &data);
	if (!err) {
		memcpy(halves, &data, sizeof(halves));
		if (subtag == TERM_EXTERNAL_REF && halves[0] > MAX_REF_NUMBERS)
			err = -EINVAL;
		else if (subtag == TERM_EXTERNAL_REF)
			err = take(p, at + TERM_EXTERNAL_DATA + 4, numbers, halves[0] * sizeof(*numbers));
	}
	if (err)
		write_missing(p, err);
	else if (subtag == TERM_EXTERNAL_PID)
		write_format(&p->w, "<%" PRIu64 ".%" PRIu32 ".%" PRIu32 ">", channel, halves[0], halves[1]);
	else if (subtag == TERM_EXTERNAL_PORT)
		write_format(&p->w, "#Port<%" PRIu64 ".%" PRIu64 ">", channel, data);
	else
		write_ref_numbers(p, channel, numbers, halves[0]);
}

static int is_export(struct printer *p, uint64_t at, uint64_t header, bool *is)
{
	uint64_t creator;
	int err = 0;

	if (p->vm->otp == 25) {
		err = take_word(p, at + TERM_25_FUN_CREATOR, &creator);
		*is = !err && TERM_IS_ATOM(creator);
	} else {
		*is = TERM_27_FUN_IS_EXPORT(header, p->vm->otp);
	}
	return err;
}

static int write_export(struct printer *p, uint64_t entry)
{
	uint64_t mfa[3];
	int err = take_some(p, entry + TERM_EXPORT_MFA(p->vm->otp), (uint8_t *)mfa, sizeof(mfa), &err) < sizeof(mfa)
			  ? -ENODATA
			  : 0;

	if (err)
		return err;
	write_text(&p->w, "fun ");
	write_atom_term(p, mfa[0], ATOM_OF_FUN);
	write_text(&p->w, ":");
	write_atom_term(p, mfa[1], ATOM_OF_FUN);
	write_format(&p->w, "/%" PRIu64, mfa[2]);
	return 0;
}

static int write_local_fun(struct printer *p, uint64_t entry)
{
	uint64_t term;
	int32_t uniq, index;
	int err = take_word(p, entry + TERM_ENTRY_MODULE(p->vm->otp), &term);

	if (!err)
		err = take(p, entry + TERM_ENTRY_OLD_UNIQ(p->vm->otp), &uniq, sizeof(uniq));
	if (!err)
		err = take(p, entry + TERM_ENTRY_OLD_INDEX(p->vm->otp), &index, sizeof(index));
	if (err)
		return err;
	write_text(&p->w, "#Fun<");
	write_atom_term(p, term, ATOM_BARE);
	write_format(&p->w, ".%" PRId32 ".%" PRId32 ">", index, uniq);
	return 0;
}

static void write_fun(struct printer *p, uint64_t at, uint64_t header)
{
	uint64_t entry = 0;
	bool is;
	int err = take_word(p, at + TERM_FUN_ENTRY, &entry);

	entry += TERM_ADDRESSES(p->vm->is_jit);
	if (!err)
		err = is_export(p, at, header, &is);
	if (!err)
		err = is ? write_export(p, entry) : write_local_fun(p, entry);
	if (err)
		write_missing(p, err);
}

static bool is_binary(const struct printer *p, uint64_t subtag)
{
	return subtag == TERM_27_HEAP_BITS || subtag == TERM_27_SUB_BITS ||
	       (p->vm->otp == 25 && subtag == TERM_25_SUB_BINARY);
}

static void write_boxed(struct printer *p, uint64_t at)
{
	uint64_t header, subtag;
	int err = take_word(p, at, &header);

	if (err) {
		write_missing(p, err);
		return;
	}
	subtag = TERM_HEADER_SUBTAG(header);
	if (TERM_TAG(header) != TERM_TAG_HEADER)
		write_text(&p->w, NO_TERM);
	else if (subtag == TERM_TUPLE)
		write_tuple(p, at, TERM_HEADER_ARITY(header));
	else if (subtag == TERM_BIG || subtag == TERM_NEGATIVE_BIG)
		write_bignum_term(p, at, header);
	else if (subtag == TERM_REF)
		write_ref(p, at, header);
	else if (subtag == TERM_FUN)
		write_fun(p, at, header);
	else if (subtag == TERM_FLOAT)
		write_float_term(p, at);
	else if (is_map(p, header))
		write_map(p, at, header);
	else if (subtag >= TERM_EXTERNAL_PID && subtag <= TERM_EXTERNAL_REF)
		write_external(p, at, subtag);
	else if (subtag == TERM_29_RECORD && p->vm->otp == 29)
		write_record(p, at, header);
	else if (is_binary(p, subtag))
		write_binary_term(p, at, subtag);
	else
		write_text(&p->w, NO_TERM);
}

static void write_nested(struct printer *p, uint64_t term)
{
	if (TERM_TAG(term) == TERM_TAG_LIST)
		write_list(p, term);
	else if (TERM_KNOWS_RELEASE(p->vm->otp))
		write_boxed(p, TERM_ADDRESS(term));
	else
		write_text(&p->w, "(of an unknown release)");
}

static void write_term(struct printer *p, uint64_t term)
{
	if (p->w.is_full)
		return;
	if (TERM_TAG(term) == TERM_TAG_HEADER) {
		write_text(&p->w, NO_TERM);
	} else if (TERM_TAG(term) != TERM_TAG_LIST && TERM_TAG(term) != TERM_TAG_BOXED) {
		write_immediate(p, term);
	} else if (p->nesting >= MAX_NESTING) {
		write_text(&p->w, "...");
	} else {
		p->nesting++;
		write_nested(p, term);
		p->nesting--;
	}
}

size_t term_format(const struct term_memory *memory, uint64_t term, char *buf, size_t size)
{
	struct printer p = { .memory = memory, .vm = memory->vm, .reads = size * READS_PER_BYTE + MIN_READS };

	if (!size)
		return 0;
	write_begin(&p.w, buf, size);
	write_term(&p, term);
	return write_end(&p.w);
}
