/* Memory of the kernel is not written to. */

BEGIN { *(int *)curthread = 1; }
