# SPDX-License-Identifier: Apache-2.0
# make vitis-dryrun | xo | xclbin      TARGET=hw or hw_emu  PLATFORM=name  DESIGN=u280 or u280_pcapsrc  VNX=folder
# What a card runs, by Vitis 2022.2, whose settings64.sh has been sourced. The CMAC of DESIGN=u280 is AMD's: VNX is a clone of
# https://github.com/Xilinx/xup_vitis_network_example, in which `make -C Ethernet DEVICE=PLATFORM INTERFACE=3` has been run. It needs AMD's
# licence for the CMAC, which is free. Nobody has run this file with Vitis yet: CLAIMS.md.

PLATFORM ?= xilinx_u280_gen3x16_xdma_1_202211_1
TARGET ?= hw
PART ?= xcu280-fsvh2892-2L-e
# Hardware emulation has no transceivers.
DESIGN ?= $(if $(filter hw,$(TARGET)),u280,u280_pcapsrc)
VNX ?= xup_vitis_network_example
CLOCK_MHZ := 300

KERNELS_u280 := ht_tap ht_ring
KERNELS_u280_pcapsrc := ht_pcapsrc ht_tap ht_ring
BENCH_ht_tap := tap
BENCH_ht_ring := ring
BENCH_ht_pcapsrc := pcapsrc

# Vivado reads the Tcl file from a folder of v++'s own: by a relative path it would not be found there.
ETHERNET := $(abspath $(VNX))/Ethernet
CMACS_u280 := $(ETHERNET)/_x.$(PLATFORM)/cmac_0.xo $(ETHERNET)/_x.$(PLATFORM)/cmac_1.xo
OVERLAY_u280 := $(ETHERNET)/post_sys_link.tcl
LINK_u280 := --advanced.param compiler.userPostSysLinkOverlayTcl=$(OVERLAY_u280)

VITIS_BUILD := $(BUILD)/$(DESIGN).$(TARGET).$(PLATFORM)
XOS := $(KERNELS_$(DESIGN):%=$(VITIS_BUILD)/%.xo)
XCLBIN := $(VITIS_BUILD)/flowstone.xclbin
VPP := v++
VIVADO := vivado

.PHONY: vitis-check vitis-plan vitis-dryrun xo xclbin
vitis-check:
	$(if $(KERNELS_$(DESIGN)),,$(error DESIGN=$(DESIGN) is not known: u280 or u280_pcapsrc))
	$(if $(filter hw hw_emu,$(TARGET)),,$(error TARGET=$(TARGET) is not known: hw or hw_emu))
	$(if $(filter hw_emu-u280,$(TARGET)-$(DESIGN)),$(error hardware emulation has no transceivers: DESIGN=u280_pcapsrc))
	vitis/check.py
	vitis/check_test.py
	vitis/plan_test.py

# Says what would be done, after the names in it were held against the sources.
vitis-dryrun: vitis-check
	@$(MAKE) --no-print-directory vitis-plan
vitis-plan:
	@$(MAKE) --no-print-directory -n -W Makefile $(XCLBIN) VITIS_DRYRUN=yes

xo: vitis-check $(XOS)
xclbin: vitis-check $(XCLBIN)

# The number that a kernel says it was made of: the beginning of its sources' digest.
kernel_sources = $(call sources,$(BENCH_$(1)))
build_number = $(shell cat $(call kernel_sources,$(1)) | sha256sum | cut -c1-8)

$(VITIS_BUILD)/%.xo: $$(call kernel_sources,$$*) vitis/%.xml vitis/package.tcl
	mkdir -p $(VITIS_BUILD)/$*
	cp $(call kernel_sources,$*) $(VITIS_BUILD)/$*
	sed -i "s/BUILD = 32'd0/BUILD = 32'h$(call build_number,$*)/" $(VITIS_BUILD)/$*/$*.sv
	@grep -q "BUILD = 32'h$(call build_number,$*)" $(VITIS_BUILD)/$*/$*.sv || { echo "$*.sv has no place for the number of the build" >&2; false; }
	$(VIVADO) -mode batch -notrace -source vitis/package.tcl -tclargs $* $(PART) vitis/$*.xml $@ $(VITIS_BUILD)/$*.package \
	  $(patsubst $(RTL)/%,$(VITIS_BUILD)/$*/%,$(call kernel_sources,$*))

# What is AMD's first: that it is missing is said before an hour's work, not after it.
$(XCLBIN): $(if $(VITIS_DRYRUN),,$(CMACS_$(DESIGN)) $(OVERLAY_$(DESIGN))) $(XOS) vitis/$(DESIGN).cfg
	$(VPP) --link --target $(TARGET) --platform $(PLATFORM) --config vitis/$(DESIGN).cfg --kernel_frequency $(CLOCK_MHZ) $(LINK_$(DESIGN)) \
	  --save-temps --temp_dir $(VITIS_BUILD)/link --output $@ $(XOS) $(CMACS_$(DESIGN))
	$(if $(filter hw_emu,$(TARGET)),emconfigutil --platform $(PLATFORM) --od $(VITIS_BUILD))

$(CMACS_u280):
	@echo "$@ is missing: clone https://github.com/Xilinx/xup_vitis_network_example to $(VNX) (VNX=), and there: make -C Ethernet DEVICE=$(PLATFORM) INTERFACE=3" >&2; false

$(OVERLAY_u280):
	@echo "$@ is missing: $(VNX) (VNX=) is not a clone of https://github.com/Xilinx/xup_vitis_network_example, or of a version that has it elsewhere" >&2; false
