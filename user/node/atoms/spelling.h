/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names as Elixir writes them. Its modules are atoms that begin with "Elixir.", which Erlang has to quote:
 * 'Elixir.Shop.Cart':add/2 is Shop.Cart.add/2. No other name is written so, so that different ones stay different.
 */
#ifndef ERLBPF_NODE_ATOMS_SPELLING_H
#define ERLBPF_NODE_ATOMS_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* How names are shown. */
struct name_style {
	bool is_elixir;	 /* modules and names of Elixir as Elixir writes them */
	bool with_owner; /* a process without a name of its own with those that it belongs to: see naming_describe() */
};

/*
 * A name as Erlang writes it, an atom or MODULE:FUNCTION/ARITY, is changed in place if it is one of Elixir. It does not
 * become longer. Hostile text stays escaped as it is.
 */
void spelling_elixir(char *name);

/*
 * A pattern of functions as Elixir writes it, "Shop.Cart.add/2", "Shop.Cart.*", as Erlang does:
 * "Elixir.Shop.Cart:add/2", "Elixir.Shop.Cart**". Two stars match as one does, and are shown as ".*".
 * False: it is not one of Elixir, or `size` is too small.
 */
bool spelling_pattern(const char *text, char *pattern, size_t size);

/* The reverse, for messages: what the user typed. Also of a function's name. Other patterns stay. Returns `text`. */
const char *spelling_of_pattern(const char *pattern, char *text, size_t size);

#endif
