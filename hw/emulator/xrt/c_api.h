/* SPDX-License-Identifier: Apache-2.0
 *
 * Those of XRT's native C functions that Flowstone uses, as libxrt_coreutil declares them. libflowstone_xrt.so has exactly these, for
 * an emulated card without AMD's library. What each does there is documented in XRT's headers; what differs here says c_api.cpp.
 *
 * With FLOWSTONE_WITH_XRT_HEADERS AMD's headers come first: a signature that is not theirs does not compile then.
 */
#ifndef FLOWSTONE_XRT_C_API_H
#define FLOWSTONE_XRT_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef FLOWSTONE_WITH_XRT_HEADERS
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>
#else
typedef void* xrtDeviceHandle;
typedef void* xrtKernelHandle;
typedef void* xrtRunHandle;
typedef void* xrtBufferHandle;
typedef uint64_t xrtBufferFlags;
typedef uint32_t xrtMemoryGroup;
typedef unsigned char xuid_t[16];

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE = 1 };

enum ert_cmd_state {
  ERT_CMD_STATE_NEW = 1,
  ERT_CMD_STATE_QUEUED = 2,
  ERT_CMD_STATE_RUNNING = 3,
  ERT_CMD_STATE_COMPLETED = 4,
  ERT_CMD_STATE_ERROR = 5,
  ERT_CMD_STATE_ABORT = 6,
  ERT_CMD_STATE_SUBMITTED = 7,
  ERT_CMD_STATE_TIMEOUT = 8,
  ERT_CMD_STATE_NORESPONSE = 9
};
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define FLOWSTONE_XRT __attribute__((visibility("default")))

FLOWSTONE_XRT xrtDeviceHandle xrtDeviceOpen(unsigned int index);
FLOWSTONE_XRT xrtDeviceHandle xrtDeviceOpenByBDF(const char* bdf);
FLOWSTONE_XRT int xrtDeviceClose(xrtDeviceHandle device);
FLOWSTONE_XRT int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char* path);
FLOWSTONE_XRT int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out);

FLOWSTONE_XRT xrtKernelHandle xrtPLKernelOpen(xrtDeviceHandle device, const xuid_t uuid, const char* name);
FLOWSTONE_XRT xrtKernelHandle xrtPLKernelOpenExclusive(xrtDeviceHandle device, const xuid_t uuid, const char* name);
FLOWSTONE_XRT int xrtKernelClose(xrtKernelHandle kernel);
FLOWSTONE_XRT int xrtKernelArgGroupId(xrtKernelHandle kernel, int argument);
FLOWSTONE_XRT uint32_t xrtKernelArgOffset(xrtKernelHandle kernel, int argument);
FLOWSTONE_XRT int xrtKernelReadRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t* value);
FLOWSTONE_XRT int xrtKernelWriteRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t value);

FLOWSTONE_XRT xrtRunHandle xrtRunOpen(xrtKernelHandle kernel);
FLOWSTONE_XRT int xrtRunSetArg(xrtRunHandle run, int index, ...);
FLOWSTONE_XRT int xrtRunStart(xrtRunHandle run);
FLOWSTONE_XRT enum ert_cmd_state xrtRunWait(xrtRunHandle run);
FLOWSTONE_XRT enum ert_cmd_state xrtRunWaitFor(xrtRunHandle run, unsigned int timeout_ms);
FLOWSTONE_XRT enum ert_cmd_state xrtRunState(xrtRunHandle run);
FLOWSTONE_XRT int xrtRunClose(xrtRunHandle run);

FLOWSTONE_XRT xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, size_t bytes, xrtBufferFlags flags, xrtMemoryGroup group);
FLOWSTONE_XRT int xrtBOFree(xrtBufferHandle buffer);
FLOWSTONE_XRT size_t xrtBOSize(xrtBufferHandle buffer);
FLOWSTONE_XRT uint64_t xrtBOAddress(xrtBufferHandle buffer);
FLOWSTONE_XRT void* xrtBOMap(xrtBufferHandle buffer);
FLOWSTONE_XRT int xrtBOSync(xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t bytes, size_t offset);
FLOWSTONE_XRT int xrtBOWrite(xrtBufferHandle buffer, const void* from, size_t bytes, size_t seek);
FLOWSTONE_XRT int xrtBORead(xrtBufferHandle buffer, void* to, size_t bytes, size_t skip);

#ifdef __cplusplus
}
#endif
#endif
