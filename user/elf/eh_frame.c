// SPDX-License-Identifier: BSD-2-Clause
/*
 * Source: "Exception Frames" of the Linux Standard Base, which also has the pointer encodings (DW_EH_PE_...), and "Call
 * Frame Information" of DWARF 5. Supports only what compilers emit for C and C++: absolute and pc-relative addresses,
 * and frames at a register plus an offset.
 */
#include "elf/eh_frame.h"

#include <string.h>

#define PE_PCREL 0x10
#define PE_APPLICATION 0x70
#define PE_FORMAT 0x0f
#define PE_UNKNOWN 0xff
#define MAX_LEB 10 /* bytes */

struct reader {
	const unsigned char *bytes;
	size_t size, at;
	bool is_bad;
};

static uint64_t read_number(struct reader *r, size_t size)
{
	uint64_t value = 0;

	if (size > r->size - r->at) {
		r->is_bad = true;
		return 0;
	}
	memcpy(&value, r->bytes + r->at, size);
	r->at += size;
	return value;
}

/* A number in LEB128. One that does not end is invalid. */
static uint64_t read_leb(struct reader *r, bool is_signed)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < MAX_LEB * 7; shift += 7) {
		uint64_t byte = read_number(r, 1);

		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && shift + 7 < 64)
			value |= ~0ULL << (shift + 7);
		return value;
	}
	r->is_bad = true;
	return 0;
}

static void skip(struct reader *r, uint64_t size)
{
	if (size > r->size - r->at)
		r->is_bad = true;
	else
		r->at += size;
}

/* A pointer in that encoding. `address` is that of the table. */
static uint64_t read_pointer(struct reader *r, unsigned char encoding, uint64_t address)
{
	uint64_t base = (encoding & PE_APPLICATION) == PE_PCREL ? address + r->at : 0;

	switch (encoding & PE_FORMAT) {
	case 0x0: /* absptr */
	case 0x4: /* udata8 */
	case 0xc: return base + read_number(r, 8);
	case 0x3: return base + read_number(r, 4);
	case 0xb: return base + (uint64_t)(int64_t)(int32_t)read_number(r, 4);
	default: r->is_bad = true; return 0;
	}
}

/* A CIE: what many entries have in common. */
struct cie {
	unsigned char encoding; /* of addresses; PE_UNKNOWN: not supported */
	bool has_data;		/* entries have augmentation data, after its length */
	uint64_t code_align;
	int64_t data_align;
	struct reader code;
};

/* The augmentation string describes the augmentation data. */
static void read_augmentation(struct reader *r, const char *letters, struct cie *cie)
{
	for (const char *letter = letters; *letter && !r->is_bad; letter++) {
		if (*letter == 'R') {
			cie->encoding = (unsigned char)read_number(r, 1);
		} else if (*letter == 'L') {
			read_number(r, 1);
		} else if (*letter == 'P') {
			unsigned char encoding = (unsigned char)read_number(r, 1);

			read_pointer(r, encoding, 0);
		} else if (*letter != 'S' && *letter != 'B') {
			cie->encoding = PE_UNKNOWN;
			return;
		}
	}
}

static void read_cie(struct reader r, struct cie *cie)
{
	char letters[8] = "";
	size_t behind;

	*cie = (struct cie){};
	read_number(&r, 1); /* version */
	for (size_t i = 0; i < sizeof(letters) - 1 && !r.is_bad; i++) {
		letters[i] = (char)read_number(&r, 1);
		if (!letters[i])
			break;
	}
	cie->code_align = read_leb(&r, false);
	cie->data_align = (int64_t)read_leb(&r, true);
	read_leb(&r,
		 false); /* the return address register; one byte if below 128, so any version can be read as LEB128 */
	if (letters[0] == 'z') {
		cie->has_data = true;
		behind = read_leb(&r, false);
		behind = behind <= r.size - r.at ? r.at + behind : r.size;
		read_augmentation(&r, letters + 1, cie);
		r.at = behind;
	} else if (letters[0]) {
		cie->encoding = PE_UNKNOWN;
	}
	cie->code = r;
	if (r.is_bad)
		cie->encoding = PE_UNKNOWN;
}

/* `id` of an entry: the distance back to its CIE. */
static bool find_cie(const struct eh_frame *frames, size_t place, uint64_t id, struct cie *cie)
{
	struct reader r = { .bytes = frames->table, .size = frames->size };
	uint64_t length;

	if (!id || id > place)
		return false;
	r.at = place - id;
	length = read_number(&r, 4);
	if (r.is_bad || length < 4 || length > r.size - r.at)
		return false;
	r.size = r.at + length;
	if (read_number(&r, 4) || r.is_bad)
		return false;
	read_cie(r, cie);
	return cie->encoding != PE_UNKNOWN;
}

/* False: a CIE, or invalid. */
static bool read_entry(const struct eh_frame *frames, struct reader r, struct eh_frame_entry *entry)
{
	size_t place = r.at;
	uint64_t id = read_number(&r, 4);
	struct cie cie;

	if (r.is_bad || !find_cie(frames, place, id, &cie))
		return false;
	*entry = (struct eh_frame_entry){ .code_align = cie.code_align, .data_align = cie.data_align };
	entry->start = read_pointer(&r, cie.encoding, frames->address);
	entry->size = read_pointer(&r, cie.encoding & PE_FORMAT, frames->address);
	if (cie.has_data)
		skip(&r, read_leb(&r, false));
	entry->initial = cie.code.bytes + cie.code.at;
	entry->initial_size = cie.code.size - cie.code.at;
	entry->code = r.bytes + r.at;
	entry->code_size = r.size - r.at;
	return !r.is_bad;
}

bool eh_frame_next(struct eh_frame *frames, struct eh_frame_entry *entry)
{
	struct reader r = { .bytes = frames->table, .size = frames->size, .at = frames->at };
	bool is_read = false;

	while (!is_read && r.size - r.at >= 4) {
		uint64_t length = read_number(&r, 4);
		struct reader one = r;

		/* 0 ends the table. The 64-bit format (for entries above 4 GiB) is not supported. */
		if (length < 4 || length > r.size - r.at)
			break;
		one.size = r.at + length;
		is_read = read_entry(frames, one, entry);
		r.at += length;
	}
	frames->at = r.at;
	return is_read;
}

/* Call frame instructions. */

#define MAX_REMEMBERED 8

struct machine {
	struct eh_frame_cfa now, remembered[MAX_REMEMBERED];
	size_t depth;
	uint64_t at, wanted; /* addresses */
	const struct eh_frame_entry *entry;
};

static void advance(struct machine *m, uint64_t delta)
{
	m->at += delta * m->entry->code_align;
}

static void remember(struct machine *m, struct reader *r)
{
	if (m->depth >= MAX_REMEMBERED)
		r->is_bad = true;
	else
		m->remembered[m->depth++] = m->now;
}

static void restore(struct machine *m, struct reader *r)
{
	if (!m->depth)
		r->is_bad = true;
	else
		m->now = m->remembered[--m->depth];
}

/* Skips rules for registers other than rbp. */
static void skip_register(struct reader *r, unsigned char code)
{
	switch (code) {
	case 0x06:			       /* restore_extended */
	case 0x07:			       /* undefined */
	case 0x08:			       /* same_value */
	case 0x2e: read_leb(r, false); return; /* GNU_args_size */
	case 0x05:			       /* offset_extended */
	case 0x09:			       /* register */
	case 0x11:			       /* offset_extended_sf */
	case 0x14:			       /* val_offset */
	case 0x15: read_leb(r, false), read_leb(r, false); return;
	case 0x10: /* expression */
	case 0x16: read_leb(r, false), skip(r, read_leb(r, false)); return;
	default: r->is_bad = true;
	}
}

static void define(struct machine *m, struct reader *r, unsigned char code)
{
	switch (code) {
	case 0x0c: /* def_cfa */
		m->now.base = read_leb(r, false);
		m->now.offset = (int64_t)read_leb(r, false);
		return;
	case 0x0d: m->now.base = read_leb(r, false); return;
	case 0x0e: m->now.offset = (int64_t)read_leb(r, false); return;
	case 0x0f: /* def_cfa_expression, as for the PLT */
		m->now.base = UINT64_MAX;
		skip(r, read_leb(r, false));
		return;
	case 0x12: /* def_cfa_sf */
		m->now.base = read_leb(r, false);
		m->now.offset = (int64_t)(read_leb(r, true) * (uint64_t)m->entry->data_align);
		return;
	case 0x13: m->now.offset = (int64_t)(read_leb(r, true) * (uint64_t)m->entry->data_align); return;
	default: skip_register(r, code);
	}
}

/* Only the rule for rbp is kept. */
static void save(struct machine *m, uint64_t number, uint64_t offset)
{
	if (number == EH_FRAME_RBP)
		m->now.saved_rbp = (int64_t)(offset * (uint64_t)m->entry->data_align);
}

static void run_instruction(struct machine *m, struct reader *r)
{
	unsigned char code = (unsigned char)read_number(r, 1);

	switch (code >> 6) {
	case 1: advance(m, code & 0x3f); return;
	case 2: save(m, code & 0x3f, read_leb(r, false)); return; /* offset */
	case 3: save(m, code & 0x3f, 0); return;		  /* restore */
	default: break;
	}
	switch (code) {
	case 0x00: return; /* nop */
	case 0x02: advance(m, read_number(r, 1)); return;
	case 0x03: advance(m, read_number(r, 2)); return;
	case 0x04: advance(m, read_number(r, 4)); return;
	case 0x0a: remember(m, r); return;
	case 0x0b: restore(m, r); return;
	default: define(m, r, code);
	}
}

/* Runs instructions up to the wanted address. */
static bool run_instructions(struct machine *m, const unsigned char *code, size_t size)
{
	struct reader r = { .bytes = code, .size = size };

	while (r.at < r.size && !r.is_bad && m->at <= m->wanted)
		run_instruction(m, &r);
	return !r.is_bad;
}

bool eh_frame_cfa(const struct eh_frame_entry *entry, uint64_t address, struct eh_frame_cfa *start)
{
	struct machine m = { .at = entry->start, .wanted = address, .entry = entry, .now.base = UINT64_MAX };

	if (address < entry->start || address - entry->start >= entry->size ||
	    !run_instructions(&m, entry->initial, entry->initial_size) ||
	    !run_instructions(&m, entry->code, entry->code_size) || m.now.base == UINT64_MAX)
		return false;
	*start = m.now;
	return true;
}
