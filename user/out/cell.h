/* SPDX-License-Identifier: BSD-2-Clause */
/* Cells of a table as people read them; without padding. */
#ifndef ERLBPF_OUT_CELL_H
#define ERLBPF_OUT_CELL_H

#include "out/sink.h"

#define CELL_SIZE 64

/* The column's name in capitals. Both return buf. */
const char *cell_title(const struct column *column, char buf[CELL_SIZE]);

/* Of any type but COLUMN_TEXT, which is hostile and may be long; "-" for what is not known. */
const char *cell_format(const struct column *column, const struct value *value, bool milliseconds, char buf[CELL_SIZE]);

/* A number in at most five characters: "999", "12.3k", "4M". Steps of 1,000, or of 1,024 for bytes ("12.3K"). */
const char *cell_human(uint64_t number, bool is_bytes, char buf[CELL_SIZE]);

/* What the note says: in the singular if it counts one. */
const char *cell_note(const struct sink_note *note);

const char *cell_duration(uint64_t ns, bool milliseconds, char *buf); /* of 32 bytes */

/* HH:MM:SS of a time, in local time, and HH:MM:SS.mmmuuu; buf of CELL_CLOCK bytes. */
#define CELL_CLOCK 16
const char *cell_clock(uint64_t time_ns, char *buf);
const char *cell_clock_us(uint64_t time_ns, char *buf);

#endif
