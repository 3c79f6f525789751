// SPDX-License-Identifier: BSD-2-Clause
/*
 * etp_otp_release, etp_erts_version and etp_beamasm (erts/emulator/beam/erl_etp.c) are constants that nothing else
 * identifies. But the release is also part of a message, only one text has the form of the version, and the JIT has a
 * text that the interpreter lacks. etp_beamasm is then 1, as are other constants.
 */
#include "match/facts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define JIT_TEXT "erts_beamasm"
#define DRIVER_ENTRY 176 /* size of an ErlDrvEntry */

static void add(struct facts *facts, const char *name, uint64_t address, size_t size)
{
	if (facts->count == sizeof(facts->all) / sizeof(*facts->all))
		return;
	facts->all[facts->count++] = (struct match_symbol){ name, (uint32_t)address, (uint32_t)size, false, false };
}

/* "17.1.1" */
static bool is_version(const char *text)
{
	return isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) && text[2] == '.' &&
	       strspn(text, "0123456789.") == strlen(text) && isdigit((unsigned char)text[3]);
}

/* Since OTP 17, the major version of ERTS is the release minus 12: erts-17.1 is in OTP 29. */
#define RELEASE_OF_ERTS 12

#define RELEASE_TEXT "(Erlang/OTP "

static bool is_release(const char *text)
{
	return text[0] >= '1' && text[0] <= '9' && isdigit((unsigned char)text[1]) && text[2] == ')';
}

/* The message about code of a newer compiler contains the release. */
static bool find_release(const struct binary_section *s, struct facts *facts)
{
	const char *data = (const char *)s->data, *at = data, *end = data + s->size;

	while ((at = memmem(at, (size_t)(end - at), RELEASE_TEXT, strlen(RELEASE_TEXT)))) {
		at += strlen(RELEASE_TEXT);
		if (end - at < 3 || !is_release(at))
			continue;
		facts->release = 10 * (at[0] - '0') + at[1] - '0';
		add(facts, "etp_otp_release", s->address + (uint64_t)(at - data), 2);
		return true;
	}
	return false;
}

static void find_version(const struct binary_section *s, struct facts *facts)
{
	const char *data = (const char *)s->data;

	for (size_t at = 1; at + 4 < s->size; at++) {
		size_t length = data[at - 1] ? 0 : strnlen(data + at, s->size - at);

		if (!length || at + length == s->size || !is_version(data + at) ||
		    atoi(data + at) + RELEASE_OF_ERTS != facts->release)
			continue;
		add(facts, "etp_erts_version", s->address + at, length + 1);
		return;
	}
}

static bool has_text(const struct binary_section *s, const char *text)
{
	return memmem(s->data, s->size, text, strlen(text) + 1) != NULL;
}

static void find_flavor(const struct binary_section *s, struct facts *facts)
{
	bool is_jit = has_text(s, JIT_TEXT);
	const uint32_t value = is_jit ? 1 : 0;

	for (size_t at = 0; at + sizeof(value) <= s->size; at += sizeof(value)) {
		if (memcmp(s->data + at, &value, sizeof(value)))
			continue;
		add(facts, "etp_beamasm", s->address + at, sizeof(value));
		return;
	}
}

/* Drivers that are missing in the VM's list of drivers (erts/emulator/sys/unix/sys_drivers.c). */
static void find_drivers(const struct binary *b, struct facts *facts)
{
	static const char *const names[][2] = {
		{ "spawn", "spawn_driver_entry" },
		{ "spawn_forker", "forker_driver_entry" },
		{ "fd", "fd_driver_entry" },
	};
	unsigned int found = 0; /* one bit per driver */

	for (size_t i = 0; i < b->pointer_count; i++) {
		const char *name = anchors_driver_name(b, &b->pointers[i]);

		for (size_t k = 0; name && k < sizeof(names) / sizeof(*names); k++) {
			if (found >> k & 1 || strcmp(name, names[k][0]))
				continue;
			found |= 1u << k;
			add(facts, names[k][1], b->pointers[i].at - ANCHORS_DRIVER_NAME, DRIVER_ENTRY);
		}
	}
}

void facts_find(const struct binary *b, const struct anchors_tables *tables, struct facts *facts)
{
	*facts = (struct facts){};
	for (size_t i = 0; i < b->section_count && !facts->release; i++) {
		const struct binary_section *s = &b->sections[i];

		if (s->kind != BINARY_CONSTANTS || !s->data || !find_release(s, facts))
			continue;
		find_version(s, facts);
		find_flavor(s, facts);
	}
	if (tables->bifs.count)
		add(facts, "bif_table", tables->bifs.address, (size_t)tables->bifs.count * ANCHORS_BIF_ENTRY);
	find_drivers(b, facts);
}
