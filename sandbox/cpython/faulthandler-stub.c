/* The faulthandler module is left out (it needs signals and threads), but the start-up code calls these two. */
#include <Python.h>

PyStatus _PyFaulthandler_Init(int enable) {
  (void)enable;
  return PyStatus_Ok();
}
void _PyFaulthandler_Fini(void) {}
