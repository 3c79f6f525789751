// SPDX-License-Identifier: BSD-2-Clause
/*
 * Places to assign to, load from and point to: variables, array elements, struct members, memory behind pointers. Frame
 * and globals are accessed directly; other memory through d_load() and d_store(), which check access.
 */
#include <string.h>

#include "d.h"
#include "base/arena.h"
#include "d/lower/lower.h"
#include "d/lang/symbol.h"

static bool is_signed(struct type *type)
{
	struct type *real = type_real(type);

	return (real->kind == TYPE_INT || real->kind == TYPE_ENUM) && real->is_signed;
}

/* The size of a scalar in C's layout. */
static uint32_t scalar_size(struct type *type)
{
	struct type *real = type_real(type);

	return real->kind == TYPE_INT || real->kind == TYPE_ENUM ? (uint32_t)real->size : 8;
}

/* Keys. */

static struct lower_key key_parts(struct lower *lower, struct node *args, const struct type_key *declared,
				  bool has_thread)
{
	struct lower_key key = { .has_thread = has_thread };
	size_t i = 0;

	for (struct node *arg = args; arg; arg = arg->next)
		key.count++;
	key.parts = arena_alloc(lower->arena, (key.count + 1) * sizeof(*key.parts));
	key.types = arena_alloc(lower->arena, (key.count + 1) * sizeof(*key.types));
	for (struct node *arg = args; arg; arg = arg->next, i++) {
		key.types[i] = declared ? declared->type : arg->type;
		if (lower_key_is_text(key.types[i]))
			key.parts[i] = lower_not_null(lower, arg, lower_string(lower, arg));
		else
			key.parts[i] = lower_extend(lower, lower_word(lower, arg), key.types[i]);
		declared = declared ? declared->next : NULL;
	}
	return key;
}

void lower_key_bytes(struct lower *lower, struct place to, struct place address, size_t size)
{
	struct ir *ir;

	if (size % 8)
		lower_move(lower, place_plus(to, (uint32_t)(size / 8 * 8)), place_const(0));
	ir = lower_add(lower, IR_COPY_FROM);
	ir->dst = to;
	ir->a = address;
	ir->size = (uint32_t)size;
	ir->label = lower->fault;
}

/* Represented by an address, but compared by content in a key. */
static bool is_bytes(struct type *type)
{
	enum type_kind kind = type_real(type)->kind;

	return kind == TYPE_STRUCT || kind == TYPE_UNION || kind == TYPE_ARRAY;
}

static void key_put(struct lower *lower, const struct lower_key *key)
{
	struct place at = place_at(AREA_KEY, 0);

	if (key->has_thread) {
		struct place tid = lower_call(lower, "d_thread", NULL, 0);

		lower->code->last->is_safe = true;
		lower_move(lower, at, tid);
		at.offset += 8;
	}
	for (size_t i = 0; i < key->count; i++) {
		struct type *type = key->types[i];

		if (lower_key_is_text(type)) {
			lower_copy(lower, at, key->parts[i], lower->layout->room);
			at.offset += (uint32_t)lower->layout->room;
			continue;
		}
		if (is_bytes(type))
			lower_key_bytes(lower, at, key->parts[i], type_real(type)->size);
		else
			lower_move(lower, at, key->parts[i]);
		at.offset += (uint32_t)lower_type_size(lower->layout, type);
	}
	if (!at.offset)
		lower_move(lower, at, place_const(0));
}

/* Finding the place. */

static bool lower_variable(struct node *node, struct lvalue *lvalue)
{
	struct symbol *symbol = node->symbol;

	*lvalue = (struct lvalue){ .type = symbol->type, .symbol = symbol };
	if (symbol->kind != SYMBOL_VARIABLE)
		return false;
	if (symbol->scope == SCOPE_SELF) {
		lvalue->kind = LVALUE_ELEMENT;
		lvalue->key.has_thread = true;
	} else {
		lvalue->kind = LVALUE_PLACE;
		lvalue->place = place_at(symbol->scope == SCOPE_THIS ? AREA_THIS : AREA_GLOBALS,
					 (uint32_t)symbol->offset);
	}
	return true;
}

static void bad_index(struct lower *lower, const struct lvalue *lvalue);

/* A run-time index into an array at a place or in an element. */
static void index_place(struct lower *lower, struct lvalue *lvalue, struct place index, uint32_t scale, uint32_t count)
{
	/* An index into an indexed place, as in x[i].y[j]: the sum is in bytes. */
	if (lvalue->limit) {
		struct lvalue inner = { .index = index, .limit = count };

		bad_index(lower, lvalue);
		bad_index(lower, &inner);
		index = lower_compute(lower, OP_ADD, lower_compute(lower, OP_MUL, index, place_const(scale), false),
				      lower_compute(lower, OP_MUL, lvalue->index, place_const(lvalue->scale), false),
				      false);
		count = (lvalue->limit - 1) * lvalue->scale + (count - 1) * scale + 1;
		scale = 1;
	}
	lvalue->is_part = true;
	lvalue->index = index;
	lvalue->scale = scale;
	lvalue->limit = count;
	if (lvalue->kind == LVALUE_PLACE)
		lvalue->kind = LVALUE_INDEXED;
}

/* An index into a C array that is not behind a pointer. */
static bool index_array(struct lower *lower, struct lvalue *lvalue, struct place index, uint32_t size, size_t count)
{
	bool is_place = lvalue->kind == LVALUE_PLACE || lvalue->kind == LVALUE_INDEXED;

	if (lvalue->kind == LVALUE_POINTER)
		return false;
	if (index.area == AREA_CONST && (uint64_t)index.value < count) {
		lvalue->is_part = true;
		*(is_place ? &lvalue->place.offset : &lvalue->offset) += (uint32_t)index.value * size;
		return true;
	}
	index_place(lower, lvalue, index, size, (uint32_t)count);
	return true;
}

static bool lower_index(struct lower *lower, struct node *node, struct lvalue *lvalue)
{
	struct symbol *symbol = node->a->symbol;
	struct place index;
	struct type *base;
	uint32_t size;

	if (symbol && symbol->kind == SYMBOL_ASSOC && node->a->kind == NODE_IDENT) {
		*lvalue = (struct lvalue){
			.kind = LVALUE_ELEMENT,
			.symbol = symbol,
			.type = node->type,
			.key = key_parts(lower, node->args, symbol->keys, symbol->scope == SCOPE_SELF),
		};
		return true;
	}
	base = type_real(node->a->type);
	index = lower_word(lower, node->args);
	if (base->kind == TYPE_STRING && index.area != AREA_CONST)
		bad_index(lower, &(struct lvalue){ .index = index, .limit = (uint32_t)base->size });
	size = (uint32_t)type_real(node->type)->size;
	if (base->kind == TYPE_ARRAY && lower_lvalue(lower, node->a, lvalue) &&
	    index_array(lower, lvalue, index, size, base->count)) {
		lvalue->type = node->type;
		return true;
	}
	*lvalue = (struct lvalue){ .kind = LVALUE_POINTER, .type = node->type, .is_scratch = node_is_scratch(node->a) };
	index = lower_compute(lower, OP_MUL, index, place_const(size), false);
	lvalue->address = lower_compute(lower, OP_ADD, lower_word(lower, node->a), index, false);
	return true;
}

static bool lower_member(struct lower *lower, struct node *node, struct lvalue *lvalue)
{
	struct type *of = type_real(node->a->type);
	const struct type_member *member;
	uint64_t bit;

	if (node->is_arrow) {
		*lvalue = (struct lvalue){
			.kind = LVALUE_POINTER,
			.address = lower_word(lower, node->a),
			.is_scratch = node_is_scratch(node->a),
		};
		of = type_real(of->base);
	} else if (!lower_lvalue(lower, node->a, lvalue)) {
		return false;
	}
	member = type_member(of, node->name, &bit);
	if (!member)
		return false;
	lvalue->type = node->type;
	lvalue->is_part = true;
	lvalue->bits = member->bits;
	if (member->bits) {
		/* The storage unit of its type that holds it. */
		uint64_t unit = type_real(member->type)->size * 8, start = bit / unit * unit;

		lvalue->bit = (unsigned int)(bit - start);
		bit = start;
	}
	if (lvalue->kind == LVALUE_PLACE || lvalue->kind == LVALUE_INDEXED)
		lvalue->place.offset += (uint32_t)(bit / 8);
	else
		lvalue->offset += (uint32_t)(bit / 8);
	return true;
}

bool lower_lvalue(struct lower *lower, struct node *node, struct lvalue *lvalue)
{
	*lvalue = (struct lvalue){ .type = node->type };
	switch (node->kind) {
	case NODE_IDENT: return node->symbol && lower_variable(node, lvalue);
	case NODE_INDEX: return lower_index(lower, node, lvalue);
	case NODE_MEMBER: return lower_member(lower, node, lvalue);
	case NODE_UNARY:
		if (node->op != OP_DEREF)
			return false;
		lvalue->kind = LVALUE_POINTER;
		lvalue->address = lower_word(lower, node->a);
		lvalue->is_scratch = node_is_scratch(node->a);
		return true;
	default:
		/* A struct as the result of a cast, a choice or an assignment: represented by its address. */
		if (!is_bytes(node->type))
			return false;
		lvalue->kind = LVALUE_POINTER;
		lvalue->address = lower_word(lower, node);
		return true;
	}
}

/* Elements of associative arrays, and thread-local variables. */

static const char *element_map(struct lower *lower, const struct lvalue *lvalue)
{
	return arena_printf(lower->arena, "d_array_%d", lvalue->symbol->map);
}

static struct type *element_type(const struct lvalue *lvalue)
{
	struct type *type = lvalue->symbol->type;

	return type->kind == TYPE_ASSOC ? type->base : type;
}

static size_t element_value_size(const struct lower *lower, const struct lvalue *lvalue)
{
	return lower_type_size(lower->layout, element_type(lvalue));
}

static void element_get(struct lower *lower, const struct lvalue *lvalue, struct place to)
{
	struct ir *ir;

	key_put(lower, &lvalue->key);
	ir = lower_add(lower, IR_GET);
	ir->name = element_map(lower, lvalue);
	ir->dst = to;
	ir->size = (uint32_t)element_value_size(lower, lvalue);
	/* A missing string is NULL. */
	ir->imm = lower_has_null(lower) && type_is_string(element_type(lvalue));
}

/* A missing element reads as zero, so assigning zero deletes it. */
static void element_set(struct lower *lower, const struct lvalue *lvalue, struct place word, bool may_delete)
{
	int keep = lower_label(lower), end = lower_label(lower);
	struct ir *ir;

	key_put(lower, &lvalue->key);
	if (may_delete) {
		lower_if(lower, word, OP_NE, place_const(0), false, keep);
		lower_add(lower, IR_DELETE)->name = element_map(lower, lvalue);
		lower_goto(lower, end);
		lower_here(lower, keep);
	}
	ir = lower_add(lower, IR_SET);
	ir->name = element_map(lower, lvalue);
	ir->a = place_at(AREA_VALUE, 0);
	ir->size = (uint32_t)element_value_size(lower, lvalue);
	lower_here(lower, end);
}

void lvalue_delete(struct lower *lower, const struct lvalue *lvalue)
{
	key_put(lower, &lvalue->key);
	lower_add(lower, IR_DELETE)->name = element_map(lower, lvalue);
}

static bool is_whole(const struct lvalue *lvalue)
{
	return !is_bytes(element_type(lvalue));
}

bool lvalue_is_element(const struct lvalue *lvalue)
{
	return lvalue->kind == LVALUE_ELEMENT && is_whole(lvalue);
}

void lvalue_load_value(struct lower *lower, const struct lvalue *lvalue)
{
	element_get(lower, lvalue, place_at(AREA_VALUE, 0));
}

void lvalue_store_value(struct lower *lower, const struct lvalue *lvalue)
{
	element_set(lower, lvalue, place_const(1), false);
}

/* Loading. */

static struct place load_place(struct lower *lower, struct place place, uint32_t size, bool sign)
{
	struct ir *ir = lower_add(lower, IR_LOAD);

	ir->dst = lower_temp(lower);
	ir->a = place;
	ir->size = size;
	ir->is_signed = sign;
	return ir->dst;
}

static void bad_index(struct lower *lower, const struct lvalue *lvalue)
{
	int good = lower_label(lower);
	struct ir *ir;

	lower_if(lower, lvalue->index, OP_LT, place_const(lvalue->limit), false, good);
	ir = lower_add(lower, IR_FAULT);
	ir->imm = D_FAULT_BADINDEX;
	ir->a = lvalue->index;
	ir->label = lower->fault;
	lower_here(lower, good);
}

static struct ir *indexed(struct lower *lower, enum ir_op op, const struct lvalue *lvalue)
{
	struct ir *ir;

	bad_index(lower, lvalue);
	ir = lower_add(lower, op);
	ir->b = lvalue->index;
	ir->imm = lvalue->scale;
	ir->limit = lvalue->limit;
	return ir;
}

/* The part of a copied element. */
static struct lvalue part_of_copy(const struct lvalue *element, struct place copy)
{
	struct lvalue inner = *element;

	inner.kind = element->limit ? LVALUE_INDEXED : LVALUE_PLACE;
	inner.place = place_plus(copy, element->offset);
	return inner;
}

struct place lvalue_address(struct lower *lower, const struct lvalue *lvalue)
{
	struct lvalue inner;
	struct ir *ir;

	if (lvalue->kind == LVALUE_POINTER)
		return lower_compute(lower, OP_ADD, lvalue->address, place_const(lvalue->offset), false);
	if (lvalue->kind == LVALUE_ELEMENT) {
		/* An element has no address of its own: it is copied, for the rest of the statement. */
		struct place copy = lower_slots(lower, element_value_size(lower, lvalue));

		element_get(lower, lvalue, copy);
		inner = part_of_copy(lvalue, copy);
		return lvalue_address(lower, &inner);
	} else if (lvalue->kind == LVALUE_INDEXED) {
		ir = indexed(lower, IR_ADDRESS_AT, lvalue);
		ir->a = lvalue->place;
	} else {
		ir = lower_add(lower, IR_ADDRESS);
		ir->a = lvalue->place;
	}
	ir->dst = lower_temp(lower);
	return ir->dst;
}

static struct place load_address(struct lower *lower, const struct lvalue *lvalue, uint32_t size, bool sign)
{
	struct place args[] = { lvalue_address(lower, lvalue), place_const(size), place_const(sign) };

	return lower_call(lower, lvalue->is_scratch ? "d_load_scratch" : "d_load", args, 3);
}

static struct place load_unit(struct lower *lower, const struct lvalue *lvalue, uint32_t size, bool sign)
{
	struct lvalue inner;
	struct ir *ir;

	switch (lvalue->kind) {
	case LVALUE_PLACE: return load_place(lower, lvalue->place, size, sign);
	case LVALUE_INDEXED:
		ir = indexed(lower, IR_LOAD_AT, lvalue);
		ir->a = lvalue->place;
		ir->size = size;
		ir->is_signed = sign;
		ir->dst = lower_temp(lower);
		return ir->dst;
	case LVALUE_ELEMENT:
		element_get(lower, lvalue, place_at(AREA_VALUE, 0));
		inner = part_of_copy(lvalue, place_at(AREA_VALUE, 0));
		return load_unit(lower, &inner, is_whole(lvalue) ? 8 : size, sign);
	default: return load_address(lower, lvalue, size, sign);
	}
}

struct place lvalue_load(struct lower *lower, const struct lvalue *lvalue)
{
	uint32_t size = scalar_size(lvalue->type);
	struct place word = load_unit(lower, lvalue, size, !lvalue->bits && is_signed(lvalue->type));
	unsigned int left = 64 - lvalue->bit - lvalue->bits;

	if (!lvalue->bits)
		return word;
	word = lower_compute(lower, OP_SHL, word, place_const(left), false);
	return lower_compute(lower, OP_SHR, word, place_const(64 - lvalue->bits), is_signed(lvalue->type));
}

/* Storing. */

static void store_unit(struct lower *lower, const struct lvalue *lvalue, struct place word, uint32_t size)
{
	struct lvalue inner;
	struct place args[3];
	struct ir *ir;

	switch (lvalue->kind) {
	case LVALUE_PLACE:
		ir = lower_add(lower, IR_STORE);
		ir->dst = lvalue->place;
		ir->a = word;
		ir->size = size;
		break;
	case LVALUE_INDEXED:
		ir = indexed(lower, IR_STORE_AT, lvalue);
		ir->dst = lvalue->place;
		ir->a = word;
		ir->size = size;
		break;
	case LVALUE_ELEMENT:
		if (!is_whole(lvalue))
			element_get(lower, lvalue, place_at(AREA_VALUE, 0));
		inner = part_of_copy(lvalue, place_at(AREA_VALUE, 0));
		store_unit(lower, &inner, word, is_whole(lvalue) ? 8 : size);
		element_set(lower, lvalue, word, is_whole(lvalue));
		break;
	case LVALUE_POINTER:
		args[0] = lvalue_address(lower, lvalue);
		args[1] = place_const(size);
		args[2] = word;
		lower_call(lower, "d_store", args, 3);
		break;
	}
}

void lvalue_store(struct lower *lower, const struct lvalue *lvalue, struct place word)
{
	uint32_t size = scalar_size(lvalue->type);

	/* An element of its own stores the whole, extended word; parts with C's layout store their bytes. */
	if (lvalue_is_element(lvalue))
		word = lower_extend(lower, word, lvalue->type);
	if (lvalue->bits) {
		uint64_t mask = (lvalue->bits == 64 ? ~0ULL : (1ULL << lvalue->bits) - 1) << lvalue->bit;
		struct place old = load_unit(lower, lvalue, size, false);

		old = lower_compute(lower, OP_AND, old, place_const((int64_t)~mask), false);
		word = lower_compute(lower, OP_SHL, word, place_const(lvalue->bit), false);
		word = lower_compute(lower, OP_AND, word, place_const((int64_t)mask), false);
		word = lower_compute(lower, OP_OR, word, old, false);
	}
	store_unit(lower, lvalue, word, size);
}

void lvalue_copy_at(struct lower *lower, const struct lvalue *lvalue, struct place address, uint32_t size)
{
	struct ir *ir = indexed(lower, IR_COPY_AT, lvalue);

	ir->dst = lvalue->place;
	ir->a = address;
	ir->size = size;
	ir->label = lower->fault;
}

/* Strings. */

struct place lvalue_string(struct lower *lower, const struct lvalue *lvalue)
{
	struct place args[2], slot;

	if (!type_is_string(lvalue->type) && !type_is_char_array(lvalue->type)) {
		/* char *: the string that it points to. */
		slot = lower_slot(lower);
		args[0] = slot;
		args[1] = lvalue_load(lower, lvalue);
		lower_call(lower, "d_stringof", args, 2);
		return slot;
	}
	if (type_is_string(lvalue->type) && lvalue->kind == LVALUE_PLACE && !lvalue->is_part)
		return lvalue->place;
	slot = lower_slot(lower);
	if (type_is_string(lvalue->type) && lvalue->kind == LVALUE_ELEMENT && is_whole(lvalue)) {
		element_get(lower, lvalue, slot);
		return slot;
	}
	args[0] = slot;
	args[1] = lvalue_address(lower, lvalue);
	lower_call(lower, "d_stringof", args, 2);
	return slot;
}

/* As part of an array or a struct, a string has only its bytes, at any offset. */
static void store_part(struct lower *lower, struct place to, struct place address)
{
	struct ir *ir = lower_add(lower, IR_COPY_FROM);

	ir->dst = to;
	ir->a = address;
	ir->size = (uint32_t)lower->unit->options.strsize;
	ir->label = lower->fault;
}

static struct place address_of(struct lower *lower, struct place place)
{
	struct ir *ir = lower_add(lower, IR_ADDRESS);

	ir->a = place;
	ir->dst = lower_temp(lower);
	return ir->dst;
}

void lvalue_store_string(struct lower *lower, const struct lvalue *lvalue, struct place string)
{
	struct lvalue inner;
	struct place args[2];

	switch (lvalue->kind) {
	case LVALUE_PLACE:
		if (lvalue->is_part)
			store_part(lower, lvalue->place, address_of(lower, string));
		else
			lower_copy(lower, lvalue->place, string, lower->layout->room);
		break;
	case LVALUE_ELEMENT:
		if (!is_whole(lvalue))
			lvalue_load_value(lower, lvalue);
		inner = part_of_copy(lvalue, place_at(AREA_VALUE, 0));
		lvalue_store_string(lower, &inner, string);
		element_set(lower, lvalue, place_const(1), false);
		break;
	case LVALUE_INDEXED:
		lvalue_copy_at(lower, lvalue, address_of(lower, string), (uint32_t)lower->unit->options.strsize);
		break;
	case LVALUE_POINTER:
		args[0] = lvalue_address(lower, lvalue);
		args[1] = lower_in_frame(lower, string);
		lower_call(lower, "d_store_string", args, 2);
		break;
	}
}
