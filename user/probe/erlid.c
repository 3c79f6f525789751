// SPDX-License-Identifier: BSD-2-Clause
#include "probe/erlid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "erl.h"

const char *erlid_format(uint64_t id, char *buf)
{
	unsigned int number = id & ((1u << ERL_ID_NUMBER_BITS) - 1);
	unsigned int serial = (unsigned int)(id >> ERL_ID_NUMBER_BITS);

	switch (erl_id_kind(id)) {
	case ERL_ID_LOCAL:
		snprintf(buf, ERLID_SIZE, "<0.%u.%u>", number, serial);
		break;
	case ERL_ID_REMOTE:
		snprintf(buf, ERLID_SIZE, "<%u.%u.%u>", serial >> ERL_ID_REMOTE_SERIAL_BITS, number,
			 serial & 0xffff);
		break;
	case ERL_ID_PORT:
		snprintf(buf, ERLID_SIZE, "#Port<0.%llu>",
			 (unsigned long long)serial << ERL_ID_NUMBER_BITS | number);
		break;
	default:
		buf[0] = '\0';
	}
	return buf;
}

int erlid_parse(const char *text, uint64_t *id)
{
	unsigned int channel, number, serial;
	int end = 0;

	if (sscanf(text, "<%u.%u.%u>%n", &channel, &number, &serial, &end) != 3 || !end) {
		end = 0;
		if (sscanf(text, "%u.%u.%u%n", &channel, &number, &serial, &end) != 3)
			return -EINVAL;
	}
	if (text[end] || channel || number >> ERL_ID_NUMBER_BITS)
		return -EINVAL;
	*id = erl_id_make(ERL_ID_LOCAL, number, serial);
	return 0;
}
