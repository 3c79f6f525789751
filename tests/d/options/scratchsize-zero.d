/* Nothing can be allocated where there is no scratch memory. */
/* @options: -x scratchsize=0 */

BEGIN { this->p = alloca(1); exit(0); }
