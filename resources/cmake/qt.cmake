# Qt 6 and what draws with it. moc, uic and rcc run only for targets that ask for Qt.
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Svg SvgWidgets PrintSupport Test OpenGLWidgets)
find_package(QCustomPlotQt6 REQUIRED)

function(braid_use_qt TARGET)
    set_target_properties(${TARGET} PROPERTIES AUTOMOC ON AUTORCC ON)
    target_compile_definitions(${TARGET} PRIVATE QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_FOREACH)
    target_link_libraries(${TARGET} PUBLIC Qt6::Core Qt6::Gui Qt6::Widgets Qt6::Svg Qt6::PrintSupport)
endfunction()
include(fonts)
