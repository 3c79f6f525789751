/* What is not possible takes arguments, too. */

BEGIN { mutex_type_adaptive(); }
