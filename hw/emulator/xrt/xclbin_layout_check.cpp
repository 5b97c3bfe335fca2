// SPDX-License-Identifier: Apache-2.0
// Our numbers of the xclbin format against AMD's header. Compiled where that is installed; there is nothing to run.
#include <xclbin.h>

#include <cstddef>

#include "xclbin_file.hpp"

namespace flowstone::card::xclbin {

static_assert(sizeof(Header) == offsetof(axlf, m_sections), "where sections begin");
static_assert(offsetof(Header, uuid) == offsetof(axlf, m_header.uuid), "uuid");
static_assert(offsetof(Header, platform) == offsetof(axlf, m_header.m_platformVBNV), "platform");
static_assert(offsetof(Header, section_count) == offsetof(axlf, m_header.m_numSections), "section_count");
static_assert(offsetof(Header, length) == offsetof(axlf, m_header.m_length), "length");
static_assert(offsetof(Header, mode) == offsetof(axlf, m_header.m_mode), "mode");
static_assert(sizeof(SectionHeader) == sizeof(axlf_section_header), "section header");
static_assert(offsetof(SectionHeader, offset) == offsetof(axlf_section_header, m_sectionOffset), "section offset");
static_assert(sizeof(MemoryBank) == sizeof(mem_data) && offsetof(MemoryBank, tag) == offsetof(mem_data, m_tag), "memory bank");
static_assert(offsetof(mem_topology, m_mem_data) == 8 && offsetof(ip_layout, m_ip_data) == 8, "counts take eight bytes");
static_assert(offsetof(connectivity, m_connection) == 4 && sizeof(Connection) == sizeof(connection), "connections");
static_assert(sizeof(Ip) == sizeof(ip_data) && offsetof(Ip, name) == offsetof(ip_data, m_name), "kernel instance");
static_assert(uint32_t{kEmbeddedMetadata} == EMBEDDED_METADATA && uint32_t{kMemoryTopology} == MEM_TOPOLOGY &&
                  uint32_t{kConnectivity} == CONNECTIVITY && uint32_t{kIpLayout} == IP_LAYOUT,
              "kinds of sections");
static_assert(kHbm == MEM_HBM && kKernelIp == IP_KERNEL && kFlat == XCLBIN_FLAT, "kinds");
static_assert(kInterrupts == IP_INT_ENABLE_MASK && kStartsByRegister == AP_CTRL_HS << IP_CONTROL_SHIFT, "properties");

}  // namespace flowstone::card::xclbin
