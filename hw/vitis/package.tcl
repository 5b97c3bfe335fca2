# SPDX-License-Identifier: Apache-2.0
# vivado -mode batch -source package.tcl -tclargs KERNEL PART XML OUTPUT.xo FOLDER SOURCE...: a kernel of SystemVerilog as v++ links it.
lassign $argv kernel part xml output folder
set sources [lrange $argv 5 end]

create_project -force $kernel $folder/project -part $part
add_files -norecurse $sources
set_property top $kernel [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir $folder/ip -vendor flowstone -library kernel -taxonomy /KernelIP -import_files -set_current true -force
set core [ipx::current_core]
set_property name $kernel $core
set_property version 1.0 $core
set_property core_revision 1 $core
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
# The number of the build is in the source already; v++ would offer it to be changed.
foreach parameter [ipx::get_user_parameters -of_objects $core] {
  ipx::remove_user_parameter [get_property NAME $parameter] $core
}
foreach interface [ipx::get_bus_interfaces -of_objects $core] {
  set name [get_property NAME $interface]
  if {$name ne "ap_clk" && $name ne "ap_rst_n"} {
    ipx::associate_bus_interfaces -busif $name -clock ap_clk $core
  }
}
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::save_core $core
close_project

package_xo -force -xo_path $output -kernel_name $kernel -ip_directory $folder/ip -kernel_xml $xml
