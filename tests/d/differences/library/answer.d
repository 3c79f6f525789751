/* For libraries.d. */
inline int ANSWER = 42;
