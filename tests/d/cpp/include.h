/* What cpp/include.d includes. */
#define FROM_INCLUDE 99
