# Installing, and the Debian package made from it (./braid deb). Two components: "engine", which is
# all that a bundle holds, and "window".
#   bin/braid                 the window; it finds the engine beside itself
#   bin/braid-engine          a script: finds LibTorch, then starts lib/braid/braid-engine
#   lib/braid/                the engine, braid-compute that it becomes, the CUDA plugin
#   share/braid/projects      the examples, copied where they are opened
set(CMAKE_INSTALL_RPATH "")
include(GNUInstallDirs)

install(TARGETS braid-engine braid-compute RUNTIME DESTINATION lib/braid COMPONENT engine)
if(TARGET braid_cuda)
    install(TARGETS braid_cuda LIBRARY DESTINATION lib/braid COMPONENT engine)
endif()
install(PROGRAMS resources/launcher/braid-engine.sh DESTINATION bin RENAME braid-engine COMPONENT engine)
install(DIRECTORY projects DESTINATION share/braid COMPONENT engine)

if(TARGET braid)
    install(TARGETS braid RUNTIME DESTINATION bin COMPONENT window)
    set(id org.braid.Workbench)
    install(FILES resources/desktop/${id}.desktop DESTINATION share/applications COMPONENT window)
    install(FILES resources/desktop/${id}.metainfo.xml DESTINATION share/metainfo COMPONENT window)
    install(FILES resources/icons/braid.svg DESTINATION share/icons/hicolor/scalable/apps RENAME ${id}.svg
            COMPONENT window)
endif()

install(FILES LICENSE DESTINATION share/doc/braid RENAME copyright COMPONENT window)

# What ./braid does about LibTorch, for those without a source tree.
install(PROGRAMS resources/launcher/braid-libtorch.sh DESTINATION bin RENAME braid-libtorch COMPONENT window)
install(FILES
            resources/launcher/common.sh resources/launcher/libtorch.sh resources/launcher/verify_wheels.py
            resources/launcher/libtorch.txt resources/launcher/libtorch-cuda.txt
        DESTINATION share/braid/launcher COMPONENT window)

# The engine writes its own manual and completions; it has to run here for that.
install(CODE "
    set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
    set(engine \"${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/braid-engine\")
    execute_process(COMMAND \"\${engine}\" man --out \"\${share}/man/man1\" OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    foreach(shell_and_file IN ITEMS \"bash;bash-completion/completions/braid-engine\"
            \"zsh;zsh/vendor-completions/_braid-engine\" \"fish;fish/vendor_completions.d/braid-engine.fish\")
        list(GET shell_and_file 0 shell)
        list(GET shell_and_file 1 file)
        execute_process(COMMAND \"\${engine}\" completion \${shell} OUTPUT_VARIABLE script COMMAND_ERROR_IS_FATAL ANY)
        file(WRITE \"\${share}/\${file}\" \"\${script}\")
    endforeach()
" COMPONENT window)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME braid)
set(CPACK_PACKAGE_VENDOR "Braid")
set(CPACK_PACKAGE_CONTACT "Braid maintainers <braid@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Workbench for hybrid attention language models")
set(CPACK_PACKAGE_DESCRIPTION
    "Braid composes language models from full and sliding-window attention, trains them, and shows what they learn.
The engine needs LibTorch, which is fetched once per user by braid-libtorch, or a PyTorch 2.11 wheel.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_SOURCE_DIR}/dist")
set(CPACK_STRIP_FILES ON)
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "python3, python3-pip, qt6-qpa-plugins, libqt6svg6, libgl1, libgl1-mesa-dri")
# LibTorch's own libraries are in no Debian package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${BRAID_TORCH_LIB}")
include(CPack)
