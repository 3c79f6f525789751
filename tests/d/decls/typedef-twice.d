/* So is a type. */

typedef int number_t;
typedef string number_t;
BEGIN { trace(1); }
