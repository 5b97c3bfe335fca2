// SPDX-License-Identifier: Apache-2.0
// Our declarations of the C functions after AMD's: one that differs does not compile. There is nothing to run.
#define FLOWSTONE_WITH_XRT_HEADERS
#include "c_api.h"
