/* SPDX-License-Identifier: BSD-2-Clause */
/* What single functions demand of their arguments, beyond their prototypes: the check() of their rows. */
#ifndef ERLBPF_D_CHECK_RULES_H
#define ERLBPF_D_CHECK_RULES_H

#include "d/lang/function.h"

void check_quantize(struct checker *checker, struct node *call);
void check_lquantize(struct checker *checker, struct node *call);
void check_llquantize(struct checker *checker, struct node *call);
void check_stack(struct checker *checker, struct node *call);
void check_tracemem(struct checker *checker, struct node *call);
void check_inet_ntoa6(struct checker *checker, struct node *call);
void check_alloca(struct checker *checker, struct node *call);
void check_copyin(struct checker *checker, struct node *call);

#endif
