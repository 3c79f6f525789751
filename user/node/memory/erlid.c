// SPDX-License-Identifier: BSD-2-Clause
#include "node/memory/erlid.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "erl.h"

const char *erlid_format(uint64_t id, char *buf)
{
	unsigned int number = id & ((1u << ERL_ID_NUMBER_BITS) - 1);
	unsigned int serial = (unsigned int)(id >> ERL_ID_NUMBER_BITS);

	switch (erl_id_kind(id)) {
	case ERL_ID_LOCAL: snprintf(buf, ERLID_SIZE, "<0.%u.%u>", number, serial); break;
	case ERL_ID_REMOTE:
		snprintf(buf, ERLID_SIZE, "<%u.%u.%u>", serial >> ERL_ID_REMOTE_SERIAL_BITS, number, serial & 0xffff);
		break;
	case ERL_ID_PORT:
		snprintf(buf, ERLID_SIZE, "#Port<0.%llu>", (unsigned long long)serial << ERL_ID_NUMBER_BITS | number);
		break;
	default: buf[0] = '\0';
	}
	return buf;
}

/* A number of at most 32 bits, followed by `end`. scanf() would accept signs and blanks, and overflow. */
static bool read_number(const char **at, char end, uint32_t *number)
{
	uint64_t value = 0;
	const char *digits = *at;

	for (; **at >= '0' && **at <= '9' && value <= UINT32_MAX; (*at)++)
		value = value * 10 + (uint64_t)(**at - '0');
	if (*at == digits || value > UINT32_MAX || **at != end)
		return false;
	*at += end != '\0';
	*number = (uint32_t)value;
	return true;
}

int erlid_parse(const char *text, uint64_t *id)
{
	bool has_brackets = *text == '<';
	uint32_t channel, number, serial;

	text += has_brackets;
	if (!read_number(&text, '.', &channel) || !read_number(&text, '.', &number) ||
	    !read_number(&text, has_brackets ? '>' : '\0', &serial))
		return -EINVAL;
	if (*text || channel || number >> ERL_ID_NUMBER_BITS)
		return -EINVAL;
	*id = erl_id_make(ERL_ID_LOCAL, number, serial);
	return 0;
}
