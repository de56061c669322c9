# Bundled fonts, made at build time from Debian's (resources/fonts/make_fonts.py). Where fonttools or the fonts are
# missing the resource is empty and the window uses the system's fonts.
#
# braid_add_fonts(TARGET) compiles them into TARGET as :/fonts/*.ttf.
function(braid_add_fonts TARGET)
    set(folder "${CMAKE_BINARY_DIR}/fonts")
    file(MAKE_DIRECTORY "${folder}")
    set(script "${CMAKE_SOURCE_DIR}/resources/fonts/make_fonts.py")
    set(names BraidSans-Regular.ttf BraidSans-Medium.ttf BraidSans-SemiBold.ttf BraidMono-Regular.ttf)
    list(TRANSFORM names PREPEND "${folder}/" OUTPUT_VARIABLE files)
    execute_process(COMMAND /usr/bin/python3 -c "import fontTools" RESULT_VARIABLE no_fonttools OUTPUT_QUIET ERROR_QUIET)
    if(no_fonttools OR NOT EXISTS /usr/share/fonts/opentype/inter/Inter-Regular.otf
       OR NOT EXISTS /usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf)
        message(STATUS "Bundled fonts: not made (python3-fonttools, fonts-inter, fonts-jetbrains-mono)")
        set(names none)  # rcc refuses a resource without a file
        set(files "${folder}/none")
        file(WRITE "${files}" "")
    else()
        add_custom_command(OUTPUT ${files} COMMAND /usr/bin/python3 "${script}" "${folder}"
                           DEPENDS "${script}" VERBATIM COMMENT "Making the bundled fonts")
    endif()
    set(entries "")
    foreach(name IN LISTS names)
        string(APPEND entries "<file>${name}</file>")
    endforeach()
    file(CONFIGURE OUTPUT "${folder}/fonts.qrc"
         CONTENT "<RCC><qresource prefix=\"/fonts\">${entries}</qresource></RCC>")
    set_source_files_properties("${folder}/fonts.qrc" PROPERTIES OBJECT_DEPENDS "${files}")
    target_sources(${TARGET} PRIVATE "${folder}/fonts.qrc" ${files})
endfunction()
