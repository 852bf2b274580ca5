// Included before every file of a model: a model's own printing goes to standard
// error, because standard output belongs to the program around it.
#pragma once
#ifdef __cplusplus
extern "C"
#endif
int vsys_printf(const char* format, ...);
#define VL_PRINTF vsys_printf
