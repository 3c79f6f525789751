// SPDX-License-Identifier: BSD-2-Clause
#include "out/cell.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "node/memory/erlid.h"

const char *cell_title(const struct column *column, char buf[CELL_SIZE])
{
	size_t n = 0;

	for (; column->name[n] && n + 1 < CELL_SIZE; n++)
		buf[n] = (char)toupper((unsigned char)column->name[n]);
	buf[n] = '\0';
	return buf;
}

const char *cell_human(uint64_t number, bool is_bytes, char buf[CELL_SIZE])
{
	static const char units[] = "kMGTPE";
	const double step = is_bytes ? 1024 : 1000;
	double value = (double)number;
	size_t unit = 0;

	if (number < 1000) {
		snprintf(buf, CELL_SIZE, "%" PRIu64, number);
		return buf;
	}
	/* What would be rounded up to a thousand is one of the next unit. */
	for (value /= step; value >= 999.5 && unit + 2 < sizeof(units); unit++)
		value /= step;
	snprintf(buf, CELL_SIZE, "%.*f%c", value < 99.95 ? 1 : 0, value, is_bytes && !unit ? 'K' : units[unit]);
	return buf;
}

const char *cell_note(const struct sink_note *note)
{
	return note->count == 1 && note->one ? note->one : note->text;
}

const char *cell_duration(uint64_t ns, bool milliseconds, char *buf)
{
	if (milliseconds)
		snprintf(buf, 32, "%.3f", (double)ns / NS_PER_MS);
	else
		duration_format(ns, buf);
	return buf;
}

const char *cell_clock(uint64_t time_ns, char *buf)
{
	time_t seconds = (time_t)(time_ns / 1000000000);
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(buf, CELL_CLOCK, "%H:%M:%S", &tm);
	return buf;
}

const char *cell_clock_us(uint64_t time_ns, char *buf)
{
	size_t length = strlen(cell_clock(time_ns, buf));

	snprintf(buf + length, CELL_CLOCK - length, ".%06u", (unsigned int)(time_ns % NS_PER_S / NS_PER_US));
	return buf;
}

static void format_known(const struct column *column, const struct value *value, bool milliseconds, char buf[CELL_SIZE])
{
	switch (column->type) {
	case COLUMN_TEXT: snprintf(buf, CELL_SIZE, "?"); break;
	case COLUMN_NUMBER: snprintf(buf, CELL_SIZE, "%" PRIu64, value->number); break;
	case COLUMN_SIGNED: snprintf(buf, CELL_SIZE, "%" PRId64, value->signed_number); break;
	case COLUMN_TIME: cell_clock_us(value->number, buf); break;
	case COLUMN_DURATION: cell_duration(value->number, milliseconds, buf); break;
	case COLUMN_PID: erlid_format(value->number, buf); break;
	case COLUMN_DECIMAL: snprintf(buf, CELL_SIZE, "%.1f", (double)value->number / 1000); break;
	}
}

const char *cell_format(const struct column *column, const struct value *value, bool milliseconds, char buf[CELL_SIZE])
{
	char known[CELL_SIZE];

	if (value->is_null)
		return strcpy(buf, "-");
	format_known(column, value, milliseconds, known);
	snprintf(buf, CELL_SIZE, "%s%.60s", value->is_at_least ? ">=" : value->is_below ? "<" : "", known);
	return buf;
}
