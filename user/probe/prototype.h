/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions of the VM are meant, and what is in their arguments:
 *
 *   function := GLOB [ "(" [ argument { "," argument } ] ")" ] [ "->" type ]
 *   argument := type | "..."                      "...": the last, for more that are not said
 *   type     := "int" | "uint" | "long" | "ulong"   numbers, of 32 and of 64 bits
 *             | "bool"                              one byte
 *             | "hex" | "ptr"                       64 bits, in hexadecimal
 *             | "term"                              an Erlang term
 *             | "process" | "port"                  address of the VM's structure: its identifier
 *             | "mfa"                               address of module, function and arity
 *             | "str" | "bytes(N)"                  address of a C string, of N bytes
 *             | "terms(N)"                          address of N terms
 *             | "_"                                 not looked at
 *             | "void"                              only as a value
 *
 * Blanks do not matter.
 */
#ifndef ERLBPF_PROBE_PROTOTYPE_H
#define ERLBPF_PROBE_PROTOTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/operand.h"

#define PROTOTYPE_VALUES 9  /* shown per call */
#define PROTOTYPE_BYTES 128 /* of a string */

enum c_type_kind {
	C_TYPE_VOID,
	C_TYPE_SKIP,
	C_TYPE_INT,
	C_TYPE_UINT,
	C_TYPE_LONG,
	C_TYPE_ULONG,
	C_TYPE_BOOL,
	C_TYPE_HEX,
	C_TYPE_TERM,
	C_TYPE_PROCESS,
	C_TYPE_PORT,
	C_TYPE_MFA,
	C_TYPE_TEXT,
	C_TYPE_BYTES,
	C_TYPE_TERMS,
};

struct c_type {
	enum c_type_kind kind;
	uint32_t count; /* of bytes or terms */
};

struct prototype {
	struct c_type args[OPERAND_ARGUMENTS];
	size_t argc;
	bool has_more; /* more arguments of unknown types */
	struct c_type value;
};

struct function_spec {
	char glob[128];
	bool has_prototype;
	struct prototype prototype;
};

/* 0, or -EINVAL with the reason in *why (a string constant). */
int function_spec_parse(const char *text, struct function_spec *spec, const char **why);

/* The prototype of a function in a release (probes/functions.def). False: unknown. */
bool prototype_known(const char *function, int otp, struct prototype *prototype);

/* The prototype of a BIF: the calling process, the arguments as an array, and a term as its value. */
struct prototype prototype_of_bif(unsigned int arity);

/* Why the return of a function cannot be probed, or NULL. */
const char *function_no_return(const char *function, bool *is_certain);

/* Rows of probes/functions.def, for the tests. NULL after the last. */
const char *prototype_row(size_t i);

#endif
