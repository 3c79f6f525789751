/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Terms in Erlang's external format (erts/doc/guides/erl_ext_dist). Reader for commands of a port, which checks every
 * length; writer for replies, from JSON.
 */
#ifndef ERLBPF_ETF_TERM_H
#define ERLBPF_ETF_TERM_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETF_ATOM 64 /* longest atom in a command, with NUL */

/* The position in a term. After an error, `is_bad` stays set, and all reads return nothing. */
struct etf_reader {
	const unsigned char *at, *end;
	bool is_bad;
};

/* Check first that a byte is available. */
void etf_begin(struct etf_reader *reader, const void *data, size_t size);

size_t etf_tuple(struct etf_reader *reader);  /* number of elements */
size_t etf_list(struct etf_reader *reader);   /* the same; call etf_list_end() after them, unless there are 0 */
void etf_list_end(struct etf_reader *reader); /* of a proper list */
const char *etf_atom(struct etf_reader *reader, char buf[ETF_ATOM]); /* "" if it is no atom */
int64_t etf_integer(struct etf_reader *reader);			     /* up to 32 bits */
const char *etf_binary(struct etf_reader *reader, size_t *size);     /* not terminated, in the data */
bool etf_is_over(const struct etf_reader *reader);		     /* all was read, without errors */

/* Output; `is_bad`: out of memory. */
struct etf_writer {
	unsigned char *data;
	size_t size, room;
	bool is_bad;
};

void etf_write_begin(struct etf_writer *writer);
void etf_write_tuple(struct etf_writer *writer, unsigned char arity);
void etf_write_list(struct etf_writer *writer, uint32_t count); /* end it with etf_write_nil() */
void etf_write_nil(struct etf_writer *writer);
void etf_write_atom(struct etf_writer *writer, const char *text);
void etf_write_integer(struct etf_writer *writer, int64_t value);
void etf_write_binary(struct etf_writer *writer, const char *text, size_t size);

/* Objects become maps with atoms as keys, texts binaries, null undefined. */
void etf_write_json(struct etf_writer *writer, json_object *value);

#endif
