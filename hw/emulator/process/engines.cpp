// SPDX-License-Identifier: Apache-2.0
#include "engines.hpp"

#include <stdexcept>

#include "../model/model_engine.hpp"
#ifdef FLOWSTONE_CARD_RTL
#include "../rtl/rtl_engine.hpp"
#endif

namespace flowstone::card {

MakeEngine engine_named(const std::string& name, const std::vector<FaultSpec>& faults) {
  if (name == "model") {
    return [](const EngineParts& parts) {
      return std::make_unique<ModelEngine>(parts.window, parts.memory, parts.wires, parts.faults, parts.has_capture_time,
                                           parts.design);
    };
  }
  if (name != "rtl") throw std::invalid_argument("--engine: there is no engine \"" + name + "\": name model or rtl");
#ifdef FLOWSTONE_CARD_RTL
  for (const FaultSpec& fault : faults) {
    if (fault.kind <= FaultKind::kRefusedWrite) {
      throw std::invalid_argument(std::string("--fault ") + name_of(fault.kind) +
                                  ": the engine rtl writes no wrong slots; use --engine model");
    }
  }
  return [](const EngineParts& parts) { return std::make_unique<RtlEngine>(parts); };
#else
  static_cast<void>(faults);
  throw std::invalid_argument("--engine rtl: this program has only the model: make -C hw emulator-rtl makes flowstone-card-rtl");
#endif
}

}  // namespace flowstone::card
