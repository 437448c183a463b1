/* A shared object, but no plugin. */
int an_ordinary_function(void);
int an_ordinary_function(void) { return 7; }
