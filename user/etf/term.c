// SPDX-License-Identifier: BSD-2-Clause
#include "etf/term.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum tag {
	TAG_VERSION = 131,
	TAG_FLOAT = 70, /* NEW_FLOAT_EXT */
	TAG_SMALL_INTEGER = 97,
	TAG_INTEGER = 98,
	TAG_ATOM = 100,
	TAG_SMALL_TUPLE = 104,
	TAG_NIL = 106,
	TAG_LIST = 108,
	TAG_BINARY = 109,
	TAG_SMALL_BIG = 110,
	TAG_SMALL_ATOM = 115,
	TAG_MAP = 116,
	TAG_ATOM_UTF8 = 118,
	TAG_SMALL_ATOM_UTF8 = 119,
};

/* Reading. */

/* That many bytes; NULL if there are fewer. */
static const unsigned char *take(struct etf_reader *reader, size_t size)
{
	const unsigned char *at = reader->at;

	if (reader->is_bad || size > (size_t)(reader->end - at)) {
		reader->is_bad = true;
		return NULL;
	}
	reader->at += size;
	return at;
}

/* A big-endian number; 0 if it is incomplete. */
static uint32_t take_number(struct etf_reader *reader, size_t size)
{
	const unsigned char *at = take(reader, size);
	uint32_t value = 0;

	for (size_t i = 0; at && i < size; i++)
		value = value << 8 | at[i];
	return value;
}

static bool take_tag(struct etf_reader *reader, enum tag tag)
{
	if (take_number(reader, 1) != tag)
		reader->is_bad = true;
	return !reader->is_bad;
}

void etf_begin(struct etf_reader *reader, const void *data, size_t size)
{
	*reader = (struct etf_reader){ .at = data, .end = (const unsigned char *)data + size };
	take_tag(reader, TAG_VERSION);
}

size_t etf_tuple(struct etf_reader *reader)
{
	return take_tag(reader, TAG_SMALL_TUPLE) ? take_number(reader, 1) : 0;
}

/* An element has at least one byte. */
size_t etf_list(struct etf_reader *reader)
{
	uint32_t tag = take_number(reader, 1), count = tag == TAG_LIST ? take_number(reader, 4) : 0;

	if ((tag != TAG_LIST && tag != TAG_NIL) || (tag == TAG_LIST && !count) ||
	    count > (size_t)(reader->end - reader->at))
		reader->is_bad = true;
	return reader->is_bad ? 0 : count;
}

void etf_list_end(struct etf_reader *reader)
{
	take_tag(reader, TAG_NIL);
}

static size_t atom_size(struct etf_reader *reader)
{
	switch (take_number(reader, 1)) {
	case TAG_SMALL_ATOM:
	case TAG_SMALL_ATOM_UTF8: return take_number(reader, 1);
	case TAG_ATOM:
	case TAG_ATOM_UTF8: return take_number(reader, 2);
	default: reader->is_bad = true; return 0;
	}
}

const char *etf_atom(struct etf_reader *reader, char buf[ETF_ATOM])
{
	size_t size = atom_size(reader);
	const unsigned char *text = take(reader, size);

	buf[0] = '\0';
	if (!text || size >= ETF_ATOM) {
		reader->is_bad = true;
		return buf;
	}
	memcpy(buf, text, size);
	buf[size] = '\0';
	return buf;
}

int64_t etf_integer(struct etf_reader *reader)
{
	uint32_t tag = take_number(reader, 1);

	if (tag == TAG_SMALL_INTEGER)
		return take_number(reader, 1);
	if (tag == TAG_INTEGER)
		return (int32_t)take_number(reader, 4);
	reader->is_bad = true;
	return 0;
}

const char *etf_binary(struct etf_reader *reader, size_t *size)
{
	*size = take_tag(reader, TAG_BINARY) ? take_number(reader, 4) : 0;
	return (const char *)take(reader, *size);
}

bool etf_is_over(const struct etf_reader *reader)
{
	return !reader->is_bad && reader->at == reader->end;
}

/* Writing. */

static void put(struct etf_writer *writer, const void *data, size_t size)
{
	if (writer->is_bad || !array_has_room_for(writer->data, writer->room, writer->size + size)) {
		writer->is_bad = true;
		return;
	}
	memcpy(writer->data + writer->size, data, size);
	writer->size += size;
}

static void put_number(struct etf_writer *writer, enum tag tag, uint32_t value, size_t size)
{
	unsigned char bytes[5] = { (unsigned char)tag };

	for (size_t i = 0; i < size; i++)
		bytes[1 + i] = (unsigned char)(value >> 8 * (size - 1 - i));
	put(writer, bytes, 1 + size);
}

void etf_write_begin(struct etf_writer *writer)
{
	put_number(writer, TAG_VERSION, 0, 0);
}

void etf_write_tuple(struct etf_writer *writer, unsigned char arity)
{
	put_number(writer, TAG_SMALL_TUPLE, arity, 1);
}

void etf_write_list(struct etf_writer *writer, uint32_t count)
{
	if (count)
		put_number(writer, TAG_LIST, count, 4);
}

void etf_write_nil(struct etf_writer *writer)
{
	put_number(writer, TAG_NIL, 0, 0);
}

void etf_write_atom(struct etf_writer *writer, const char *text)
{
	size_t size = strnlen(text, 255);

	put_number(writer, TAG_SMALL_ATOM_UTF8, (uint32_t)size, 1);
	put(writer, text, size);
}

/* Our JSON has no numbers beyond 64 bits. */
static void put_big(struct etf_writer *writer, uint64_t value, bool is_negative)
{
	unsigned char bytes[11] = { TAG_SMALL_BIG, 8, is_negative };

	for (int i = 0; i < 8; i++)
		bytes[3 + i] = (unsigned char)(value >> 8 * i);
	put(writer, bytes, sizeof(bytes));
}

void etf_write_integer(struct etf_writer *writer, int64_t value)
{
	if (value >= 0 && value <= UINT8_MAX)
		put_number(writer, TAG_SMALL_INTEGER, (uint32_t)value, 1);
	else if (value >= INT32_MIN && value <= INT32_MAX)
		put_number(writer, TAG_INTEGER, (uint32_t)value, 4);
	else
		put_big(writer, value < 0 ? -(uint64_t)value : (uint64_t)value, value < 0);
}

void etf_write_binary(struct etf_writer *writer, const char *text, size_t size)
{
	put_number(writer, TAG_BINARY, (uint32_t)size, 4);
	put(writer, text, size);
}

static void write_float(struct etf_writer *writer, double value)
{
	unsigned char bytes[9] = { TAG_FLOAT };
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	for (int i = 0; i < 8; i++)
		bytes[1 + i] = (unsigned char)(bits >> 8 * (7 - i));
	put(writer, bytes, sizeof(bytes));
}

static void write_json_integer(struct etf_writer *writer, json_object *value)
{
	uint64_t number = json_object_get_uint64(value);

	if (json_object_get_int64(value) < 0 || number <= INT64_MAX)
		etf_write_integer(writer, json_object_get_int64(value));
	else
		put_big(writer, number, false);
}

static void write_map(struct etf_writer *writer, json_object *object)
{
	put_number(writer, TAG_MAP, (uint32_t)json_object_object_length(object), 4);
	json_object_object_foreach(object, key, value)
	{
		etf_write_atom(writer, key);
		etf_write_json(writer, value);
	}
}

static void write_array(struct etf_writer *writer, json_object *array)
{
	size_t count = json_object_array_length(array);

	etf_write_list(writer, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		etf_write_json(writer, json_object_array_get_idx(array, i));
	etf_write_nil(writer);
}

void etf_write_json(struct etf_writer *writer, json_object *value)
{
	switch (json_object_get_type(value)) {
	case json_type_object: write_map(writer, value); break;
	case json_type_array: write_array(writer, value); break;
	case json_type_int: write_json_integer(writer, value); break;
	case json_type_double: write_float(writer, json_object_get_double(value)); break;
	case json_type_boolean: etf_write_atom(writer, json_object_get_boolean(value) ? "true" : "false"); break;
	case json_type_string:
		etf_write_binary(writer, json_object_get_string(value), (size_t)json_object_get_string_len(value));
		break;
	default: etf_write_atom(writer, "undefined");
	}
}
