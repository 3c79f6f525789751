/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terms in Erlang's external format (erts/doc/guides/erl_ext_dist): those that a port is sent, read with every length
 * checked against what there is; and those that it answers with, made of JSON.
 */
#ifndef ERLBPF_ETF_TERM_H
#define ERLBPF_ETF_TERM_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETF_ATOM 64 /* longest that a command has, terminator included */

/* Where in a term the reading is. After something wrong, `is_bad` stays, and all else reads as nothing. */
struct etf_reader {
	const unsigned char *at, *end;
	bool is_bad;
};

/* The byte that comes first must be there. */
void etf_begin(struct etf_reader *reader, const void *data, size_t size);

size_t etf_tuple(struct etf_reader *reader);  /* how many elements follow */
size_t etf_list(struct etf_reader *reader);   /* the same; behind them comes etf_list_end(), unless there are 0 */
void etf_list_end(struct etf_reader *reader); /* a proper list's */
const char *etf_atom(struct etf_reader *reader, char buf[ETF_ATOM]); /* "" if it is none */
int64_t etf_integer(struct etf_reader *reader);			     /* of up to 32 bits */
const char *etf_binary(struct etf_reader *reader, size_t *size);     /* not terminated, within the data */
bool etf_is_over(const struct etf_reader *reader);		     /* all of it was read, and nothing was wrong */

/* What is written; `is_bad`: memory was short. */
struct etf_writer {
	unsigned char *data;
	size_t size, room;
	bool is_bad;
};

void etf_write_begin(struct etf_writer *writer);
void etf_write_tuple(struct etf_writer *writer, unsigned char arity);
void etf_write_list(struct etf_writer *writer, uint32_t count); /* its end is etf_write_nil() */
void etf_write_nil(struct etf_writer *writer);
void etf_write_atom(struct etf_writer *writer, const char *text);
void etf_write_integer(struct etf_writer *writer, int64_t value);
void etf_write_binary(struct etf_writer *writer, const char *text, size_t size);

/* Objects are maps with atoms as keys, texts are binaries, null is undefined. */
void etf_write_json(struct etf_writer *writer, json_object *value);

#endif
