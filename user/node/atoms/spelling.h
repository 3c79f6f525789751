/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in Elixir syntax. Elixir modules are atoms that begin with "Elixir.", which Erlang must quote:
 * 'Elixir.Shop.Cart':add/2 is Shop.Cart.add/2. No other name has this form, so names stay distinct.
 */
#ifndef ERLBPF_NODE_ATOMS_SPELLING_H
#define ERLBPF_NODE_ATOMS_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* How names are shown. */
struct name_style {
	bool is_elixir;	 /* Elixir names in Elixir syntax */
	bool with_owner; /* adds related processes to a process without a name: see naming_describe() */
};

/*
 * Converts an Erlang name, an atom or MODULE:FUNCTION/ARITY, in place if it is an Elixir name. It never becomes longer.
 * Hostile text stays escaped.
 */
void spelling_elixir(char *name);

/*
 * Converts an Elixir pattern, "Shop.Cart.add/2", "Shop.Cart.*", to an Erlang one: "Elixir.Shop.Cart:add/2",
 * "Elixir.Shop.Cart**". Two stars match as one does, and are shown as ".*". False: not an Elixir pattern, or `size` is
 * too small.
 */
bool spelling_pattern(const char *text, char *pattern, size_t size);

/*
 * The reverse, for messages: the pattern as the user typed it; also for a function's name. Other patterns stay
 * unchanged. Returns `text`.
 */
const char *spelling_of_pattern(const char *pattern, char *text, size_t size);

#endif
