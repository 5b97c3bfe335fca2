// SPDX-License-Identifier: Apache-2.0
// make_xclbin DESIGN FILE: writes the xclbin of a design's kernels, without a bitstream: what XRT asks of it, for an emulated card.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "../link/messages.hpp"
#include "xclbin_file.hpp"

namespace flowstone::card::xclbin {
namespace {

constexpr const char* kPlatform = "xilinx_u280_gen3x16_xdma_1_202211_1";

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

template <typename Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string memory_topology(const Design& design) {
  std::string bytes;
  append(bytes, static_cast<int32_t>(design.banks));
  append(bytes, int32_t{0});  // banks begin at a multiple of eight
  for (uint32_t bank = 0; bank < design.banks; bank++) {
    MemoryBank one = {};
    one.type = kHbm;
    one.used = 1;
    one.size_kib = kBankBytes / 1024;
    one.base_address = bank * kBankBytes;
    std::snprintf(one.tag, sizeof one.tag, "HBM[%u]", bank);
    append(bytes, one);
  }
  return bytes;
}

std::string connectivity(const Design& design) {
  std::string connections;
  int32_t count = 0;
  for (int32_t ip = 0; ip < static_cast<int32_t>(design.kernels); ip++) {
    const Kernel& kernel = kKernelList[static_cast<size_t>(ip)];
    for (int32_t argument = 0; argument < static_cast<int32_t>(kernel.argument_count); argument++) {
      if (!kernel.arguments[argument].is_address()) continue;
      append(connections, Connection{argument, ip, kernel.arguments[argument].bank});
      count++;
    }
  }
  std::string bytes;
  append(bytes, count);
  return bytes + connections;
}

std::string ip_layout(const Design& design) {
  std::string bytes;
  append(bytes, static_cast<int32_t>(design.kernels));
  append(bytes, int32_t{0});
  for (uint32_t number = 0; number < design.kernels; number++) {
    const Kernel& kernel = kKernelList[number];
    Ip ip = {};
    ip.type = kKernelIp;
    ip.properties = kInterrupts | kStartsByRegister;
    ip.base_address = kernel.base_address;
    std::snprintf(ip.name, sizeof ip.name, "%s:%s", kernel.kernel, kernel.instance);
    append(bytes, ip);
  }
  return bytes;
}

/** One that has a single way to the memory gives it no number. */
std::string memory_port(const Kernel& kernel, const Argument& argument) {
  return kernel.kind == KernelKind::kSource ? "M_AXI" : "M_AXI_" + std::to_string(argument.bank);
}

std::string argument_element(const Kernel& kernel, size_t id) {
  const Argument& argument = kernel.arguments[id];
  const std::string port = argument.is_address() ? memory_port(kernel, argument) : "S_AXI_CONTROL";
  return "<arg name=\"" + std::string(argument.name) + "\" addressQualifier=\"" + (argument.is_address() ? "1" : "0") + "\" id=\"" +
         std::to_string(id) + "\" port=\"" + port + "\" size=\"" + hex(argument.size_bytes) + "\" offset=\"" +
         hex(argument.offset_bytes) + "\" hostOffset=\"0x0\" hostSize=\"" + hex(argument.size_bytes) + "\" type=\"" + argument.type +
         "\"/>\n";
}

std::string kernel_element(const Kernel& first) {
  std::string text = "<kernel name=\"" + std::string(first.kernel) + "\" language=\"ip_c\" vlnv=\"flowstone:kernel:" + first.kernel +
                     ":1.0\" attributes=\"\" preferredWorkGroupSizeMultiple=\"0\" workGroupSize=\"1\" debug=\"false\" hash=\"\"" +
                     " hwControlProtocol=\"ap_ctrl_hs\" interrupt=\"true\">\n<port name=\"S_AXI_CONTROL\" mode=\"slave\" range=\"" +
                     hex(kRegisterBytes) + "\" dataWidth=\"32\" portType=\"addressable\" base=\"0x0\"/>\n";
  for (size_t id = 0; id < first.argument_count; id++) {
    const Argument& argument = first.arguments[id];
    if (argument.is_address()) {
      text += "<port name=\"" + memory_port(first, argument) +
              "\" mode=\"master\" range=\"0xFFFFFFFFFFFFFFFF\" dataWidth=\"512\" portType=\"addressable\" base=\"0x0\"/>\n";
    }
  }
  for (size_t id = 0; id < first.argument_count; id++) text += argument_element(first, id);
  text += "<compileWorkGroupSize x=\"1\" y=\"1\" z=\"1\"/><maxWorkGroupSize x=\"1\" y=\"1\" z=\"1\"/>\n";
  for (const Kernel& kernel : kKernelList) {
    if (std::strcmp(kernel.kernel, first.kernel) != 0) continue;
    text += "<instance name=\"" + std::string(kernel.instance) + "\"><addrRemap base=\"" + hex(kernel.base_address) +
            "\" range=\"0x10000\" port=\"S_AXI_CONTROL\"/></instance>\n";
  }
  return text + "</kernel>\n";
}

std::string metadata(const Design& design) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<project name=\"flowstone\">"
      "<platform vendor=\"xilinx\" boardid=\"u280\" name=\"gen3x16_xdma_1\" featureRomTime=\"0\">"
      "<version major=\"202211\" minor=\"1\"/><description/>"
      "<board name=\"xilinx.com:au280:1.1\" vendor=\"xilinx.com\" fpga=\"xcu280-fsvh2892-2L-e\"><interfaces/></board><build_flow/>\n"
      "<device name=\"fpga0\" fpgaDevice=\"virtexuplusHBM\" addrWidth=\"0\">"
      "<core name=\"OCL_REGION_0\" target=\"bitstream\" type=\"clc_region\" clockFreq=\"0MHz\" numComputeUnits=\"" +
      std::to_string(design.kernels) + "\"><kernelClocks><clock port=\"KERNEL_CLK\" frequency=\"300MHz\"/></kernelClocks>\n";
  const char* latest = "";
  for (uint32_t number = 0; number < design.kernels; number++) {
    const Kernel& kernel = kKernelList[number];
    if (std::strcmp(kernel.kernel, latest) != 0) text += kernel_element(kernel);
    latest = kernel.kernel;
  }
  return text + "</core></device></platform></project>\n";
}

struct Section {
  SectionKind kind;
  const char* name;
  std::string bytes;
};

uint64_t whole_words(uint64_t bytes) { return (bytes + 7) / 8 * 8; }

std::string file(const Design& design) {
  const std::vector<Section> sections{{kMemoryTopology, "mem_topology", memory_topology(design)},
                                      {kConnectivity, "connectivity", connectivity(design)},
                                      {kIpLayout, "ip_layout", ip_layout(design)},
                                      {kEmbeddedMetadata, "embedded_meta", metadata(design)}};
  const uint64_t first = whole_words(sizeof(Header) + sections.size() * sizeof(SectionHeader));
  std::string headers, bodies;
  for (const Section& section : sections) {
    SectionHeader header = {};
    header.kind = section.kind;
    std::snprintf(header.name, sizeof header.name, "%s", section.name);
    header.offset = first + bodies.size();
    header.bytes = section.bytes.size();
    append(headers, header);
    bodies += section.bytes;
    bodies.resize(whole_words(bodies.size()));
  }
  Header header = {};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.signature_length = -1;
  std::memset(header.reserved, 0xFF, sizeof header.reserved);
  std::memset(header.key_block, 0xFF, sizeof header.key_block);
  header.unique_id = 1;
  header.length = first + bodies.size();
  header.version_major = 2;
  header.version_minor = 13;
  header.mode = kFlat;
  std::snprintf(header.platform, sizeof header.platform, "%s", kPlatform);
  const Uuid uuid = uuid_of(design);
  std::memcpy(header.uuid, uuid.data(), uuid.size());
  header.section_count = static_cast<uint32_t>(sections.size());
  std::string bytes;
  append(bytes, header);
  bytes += headers;
  bytes.resize(first);
  return bytes + bodies;
}

}  // namespace
}  // namespace flowstone::card::xclbin

int main(int argument_count, char** arguments) {
  using namespace flowstone::card;
  const std::string name = argument_count == 3 ? arguments[1] : "";
  if (name != kCabled.name && name != kCableless.name) {
    std::fprintf(stderr, "make_xclbin %s|%s FILE\n", kCabled.name, kCableless.name);
    return 2;
  }
  const std::string bytes = xclbin::file(name == kCabled.name ? kCabled : kCableless);
  std::FILE* file = std::fopen(arguments[2], "wb");
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() || std::fclose(file) != 0) {
    std::perror(arguments[2]);
    return 1;
  }
  return 0;
}
