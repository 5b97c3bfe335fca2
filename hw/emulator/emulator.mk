# SPDX-License-Identifier: Apache-2.0
# Included by hw/Makefile: make emulator | emulator-rtl | emulator-test | emulator-bench. Needs g++ or clang++; emulator-rtl also
# verilator. Where libxrt-dev is installed (apt-get install libxrt-dev libxrt1), the HAL under AMD's library is built as well.

EMULATOR_MACHINE := $(shell uname -m)
EMULATOR_ARCHITECTURE := $(if $(filter x86_64,$(EMULATOR_MACHINE)),-march=x86-64-v2)$(if $(filter aarch64,$(EMULATOR_MACHINE)),-march=armv8-a+crc)
EMULATOR_FLAGS := -std=c++17 -O2 $(EMULATOR_ARCHITECTURE) -Wall -Wextra -Werror -fvisibility=hidden -pthread -Iinclude -Imodel

EMULATOR_HEADERS := $(wildcard emulator/*/*.hpp emulator/*/*.h) include/flowstone/abi.h model/flowstone.h emulator/emulator.mk
EMULATOR_CARD := $(wildcard emulator/device/*.cpp emulator/feed/*.cpp emulator/model/*.cpp emulator/process/*.cpp)
EMULATOR_LINK := emulator/link/attachment.cpp emulator/device/faults.cpp
EMULATOR_OBJECTS = $(patsubst emulator/%.cpp,$(BUILD)/emulator/%.o,$(1))

# AMD's side, where it is: of the version that Debian 12 has. Later ones look for no HAL of ours.
XRT_INCLUDE ?= /usr/include/xrt
XRT_GLUE := $(firstword $(wildcard /usr/lib/*/libxrt_swemu.a))
HAS_XRT := $(if $(XRT_GLUE),$(if $(shell grep -s 'xrt_build_version.*"2\.13\.' $(XRT_INCLUDE)/version.h),yes))
XRT_HAL := $(BUILD)/xrt/lib/libxrt_core.so.2

.PHONY: emulator
emulator: $(BUILD)/flowstone-card $(BUILD)/libflowstone_xrt.so $(BUILD)/flowstone.xclbin $(BUILD)/flowstone-pcapsrc.xclbin \
  $(if $(HAS_XRT),$(XRT_HAL),no-xrt)

.PHONY: no-xrt
no-xrt:
	@echo "SKIPPED: the HAL under AMD's library: no XRT 2.13 in $(XRT_INCLUDE): apt-get install libxrt-dev libxrt1 (Debian 12)" >&2

$(BUILD)/emulator/%.o: emulator/%.cpp $(EMULATOR_HEADERS)
	mkdir -p $(@D)
	$(CXX) $(EMULATOR_FLAGS) -fPIC -c $< -o $@

# The same program with one engine more: the kernels' SystemVerilog.
.PHONY: emulator-rtl
emulator-rtl: emulator $(BUILD)/flowstone-card-rtl

EMULATOR_RTL_BENCHES := tap ring pcapsrc
EMULATOR_RTL_MODELS := $(EMULATOR_RTL_BENCHES:%=$(BUILD)/%-model/model.a)
EMULATOR_RTL_INCLUDES = -isystem $(VERILATOR_ROOT)/include $(EMULATOR_RTL_BENCHES:%=-isystem $(BUILD)/%-model)
$(BUILD)/emulator/rtl/%.o: emulator/rtl/%.cpp $(EMULATOR_HEADERS) $(EMULATOR_RTL_MODELS)
	mkdir -p $(@D)
	$(CXX) $(EMULATOR_FLAGS) $(EMULATOR_RTL_INCLUDES) -c $< -o $@

$(BUILD)/emulator/process/engines-rtl.o: emulator/process/engines.cpp $(EMULATOR_HEADERS) $(EMULATOR_RTL_MODELS)
	mkdir -p $(@D)
	$(CXX) $(EMULATOR_FLAGS) -DFLOWSTONE_CARD_RTL $(EMULATOR_RTL_INCLUDES) -c $< -o $@

$(BUILD)/flowstone-card-rtl: $(filter-out %/engines.o,$(call EMULATOR_OBJECTS,$(EMULATOR_CARD))) $(BUILD)/emulator/process/engines-rtl.o \
    $(BUILD)/emulator/rtl/rtl_engine.o $(BUILD)/parser.a $(EMULATOR_RTL_MODELS) $(VERILATED)
	$(CXX) $^ -pthread -o $@

# The parser library with the flags of the taps' own, -O3 for speed. The benches of the kernels link it, too.
MODEL_SOURCES := $(wildcard model/src/*.cpp model/src/*/*.cpp)
$(BUILD)/parser.a: $(MODEL_SOURCES) $(wildcard model/*.h model/src/*.hpp model/src/*/*.hpp) include/flowstone/abi.h
	mkdir -p $(@D)/parser
	cd $(@D)/parser && $(CXX) -std=c++17 -O3 $(EMULATOR_ARCHITECTURE) -fno-exceptions -fno-rtti -I$(CURDIR)/model -I$(CURDIR)/model/src \
	  -I$(CURDIR)/include -c $(MODEL_SOURCES:%=$(CURDIR)/%)
	rm -f $@
	ar rcs $@ $(@D)/parser/*.o

$(BUILD)/flowstone-card: $(call EMULATOR_OBJECTS,$(EMULATOR_CARD)) $(BUILD)/parser.a
	$(CXX) $^ -pthread -o $@

$(BUILD)/libflowstone_xrt.so: $(call EMULATOR_OBJECTS,emulator/xrt/c_api.cpp $(EMULATOR_LINK)) emulator/xrt/symbols.map
	$(CXX) -shared $(filter %.o,$^) -pthread -Wl,--version-script=emulator/xrt/symbols.map -Wl,-soname,libflowstone_xrt.so -o $@

# Four objects that make AMD's library ask a HAL, taken out of its archive here: nothing of AMD's is ours. What they want and we do not
# have leads to one function that says so.
XRT_GLUE_OBJECTS := system_swemu.cxx.o device_swemu.cxx.o device_pcie.cpp.o system_pcie.cpp.o
$(BUILD)/emulator/xrt-glue.o: $(XRT_GLUE)
	mkdir -p $(@D)/glue
	cd $(@D)/glue && ar x $(XRT_GLUE) $(XRT_GLUE_OBJECTS) && ld -r -o ../$(@F) $(XRT_GLUE_OBJECTS)

$(BUILD)/emulator/xrt/hal.o $(BUILD)/emulator/xrt/xclbin_layout_check.o $(BUILD)/emulator/xrt/signature_check.o: \
  EMULATOR_FLAGS += -isystem $(XRT_INCLUDE) -fvisibility=default

$(XRT_HAL): $(call EMULATOR_OBJECTS,emulator/xrt/hal.cpp $(EMULATOR_LINK)) $(BUILD)/emulator/xrt-glue.o \
    $(BUILD)/emulator/xrt/xclbin_layout_check.o $(BUILD)/emulator/xrt/signature_check.o
	mkdir -p $(@D)
	nm -u $(BUILD)/emulator/xrt-glue.o | awk '$$2 ~ /^(_Z[0-9]+)?xcl/ { print $$2 }' | sort > $(@D)/wanted
	nm --defined-only $(BUILD)/emulator/xrt/hal.o | awk '{ print $$3 }' | sort | comm -23 $(@D)/wanted - \
	  | sed 's/.*/-Wl,--defsym=&=flowstone_not_supported/' > $(@D)/not-supported
	$(CXX) -shared $(filter %.o,$^) @$(@D)/not-supported -lxrt_coreutil -pthread -Wl,-soname,$(@F) -o $@
	rm $(@D)/wanted $(@D)/not-supported

$(BUILD)/flowstone.xclbin: $(BUILD)/emulator/make-xclbin
	$< u280 $@

$(BUILD)/flowstone-pcapsrc.xclbin: $(BUILD)/emulator/make-xclbin
	$< u280_pcapsrc $@

$(BUILD)/emulator/make-xclbin: $(call EMULATOR_OBJECTS,emulator/xrt/make_xclbin.cpp)
	$(CXX) $^ -o $@

# ---- Tests ----
# The project's own captures, so that the tests are the same on every machine. Their frames are cut to 112 bytes. The RTL receives such a
# frame as it was captured, and engines_test.cpp expects of each engine what it receives.
export FLOWSTONE_CAPTURES ?= $(CURDIR)/../traffic/captures
EMULATOR_TEST_FLAGS := $(EMULATOR_FLAGS) -Imodel/test
EMULATOR_TEST_HEADERS := $(wildcard emulator/test/*.hpp) model/test/check.hpp sim/capture_blocks.hpp

$(BUILD)/emulator/test/%.o: emulator/test/%.cpp $(EMULATOR_HEADERS) $(EMULATOR_TEST_HEADERS)
	mkdir -p $(@D)
	$(CXX) $(EMULATOR_TEST_FLAGS) -c $< -o $@

# Against the C functions of our library.
$(BUILD)/emulator/card-test: $(call EMULATOR_OBJECTS,emulator/test/main.cpp emulator/test/card_test.cpp emulator/test/cableless_test.cpp emulator/test/wrong_use_test.cpp) \
    $(BUILD)/libflowstone_xrt.so
	$(CXX) $(filter %.o,$^) -L$(BUILD) -lflowstone_xrt -Wl,-rpath,'$$ORIGIN/..' -pthread -o $@

$(BUILD)/emulator/bench: $(call EMULATOR_OBJECTS,emulator/test/bench.cpp) $(BUILD)/libflowstone_xrt.so
	$(CXX) $(filter %.o,$^) -L$(BUILD) -lflowstone_xrt -Wl,-rpath,'$$ORIGIN/..' -pthread -o $@

.PHONY: emulator-bench
emulator-bench: emulator $(BUILD)/emulator/bench
	$(BUILD)/emulator/bench $(BUILD)

# The parts in one process, without a card.
EMULATOR_PARTS := $(filter-out emulator/process/main.cpp emulator/process/server.cpp emulator/process/engines.cpp,$(EMULATOR_CARD))
$(BUILD)/emulator/parts-test: $(call EMULATOR_OBJECTS,emulator/test/main.cpp emulator/test/engine_test.cpp emulator/test/parts_test.cpp \
    emulator/test/source_test.cpp \
    $(EMULATOR_PARTS)) $(BUILD)/parser.a
	$(CXX) $^ -pthread -o $@

# What either engine makes of captures and of made packets, against the parser library.
$(BUILD)/emulator/engines-test: $(call EMULATOR_OBJECTS,emulator/test/main.cpp emulator/test/engines_test.cpp emulator/feed/capture.cpp \
    emulator/feed/generator.cpp) $(BUILD)/parser.a $(BUILD)/libflowstone_xrt.so
	$(CXX) $(filter %.o %.a,$^) -L$(BUILD) -lflowstone_xrt -Wl,-rpath,'$$ORIGIN/..' -pthread -o $@

# The same tests of the card with AMD's library instead of ours.
$(BUILD)/emulator/card-test-amd: $(call EMULATOR_OBJECTS,emulator/test/main.cpp emulator/test/card_test.cpp emulator/test/cableless_test.cpp) $(XRT_HAL)
	$(CXX) $(filter %.o,$^) -lxrt_coreutil -pthread -o $@

.PHONY: emulator-test emulator-test-amd emulator-test-symbols
emulator-test: emulator $(BUILD)/emulator/parts-test $(BUILD)/emulator/card-test $(BUILD)/emulator/engines-test emulator-test-symbols \
    $(if $(HAS_XRT),emulator-test-amd)
	$(BUILD)/emulator/parts-test $(BUILD)
	$(BUILD)/emulator/card-test $(BUILD)
	$(BUILD)/emulator/engines-test $(BUILD)

# The tap's own tests of a card, by our library, by AMD's where it is, and on a card whose xclbin FLOWSTONE_XCLBIN names
# (FLOWSTONE_DEVICE: which one). Needs a JDK 25 and Maven. The file's name is that of the folder in which make was called.
.PHONY: conformance
conformance: emulator
	$(if $(FLOWSTONE_XCLBIN),export FLOWSTONE_XCLBIN=$(if $(filter /%,$(FLOWSTONE_XCLBIN)),,$(PWD)/)$(FLOWSTONE_XCLBIN) &&) \
	cd .. && FLOWSTONE_EMULATOR=$(abspath $(BUILD)) mvn --batch-mode --quiet -pl tap -am -Dtest=CardConformanceTest \
	  -Dsurefire.failIfNoSpecifiedTests=false -Dspotless.check.skip verify

.PHONY: emulator-test-rtl
emulator-test-rtl: emulator-rtl $(BUILD)/emulator/engines-test
	FLOWSTONE_CARD_PROGRAM=flowstone-card-rtl FLOWSTONE_CARD_ENGINE=rtl $(BUILD)/emulator/engines-test $(BUILD)

# Our library has what its header declares and nothing else; all of it AMD's has, too.
XRT_LIBRARY := $(firstword $(wildcard /usr/lib/*/libxrt_coreutil.so.2))
emulator-test-symbols: $(BUILD)/libflowstone_xrt.so
	nm -D --defined-only $< | awk '{ print $$3 }' | sort > $(BUILD)/emulator/symbols
	grep -o 'xrt[A-Za-z]*(' emulator/xrt/c_api.h | tr -d '(' | sort | diff - $(BUILD)/emulator/symbols
	$(if $(XRT_LIBRARY),nm -D --defined-only $(XRT_LIBRARY) | awk '{ print $$3 }' | sort | comm -13 - $(BUILD)/emulator/symbols | diff /dev/null -)

emulator-test-amd: emulator $(BUILD)/emulator/card-test-amd
	XILINX_XRT=$(abspath $(BUILD))/xrt $(BUILD)/emulator/card-test-amd $(BUILD)
