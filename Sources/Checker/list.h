#ifndef LIST_H
#define LIST_H

#include "checks.h"

typedef struct listed_check {
  checker_check check;
  void (*run)(void);
} listed_check;

extern const listed_check LISTED[];

#endif
