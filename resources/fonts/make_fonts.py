#!/usr/bin/python3
"""make_fonts.py FOLDER: makes the bundled fonts, at build time, from Debian's fonts-inter and fonts-jetbrains-mono (needs python3-fonttools).

Braid Sans is Inter cut to the characters the window writes, with the tabular digits as the ordinary ones: Qt 6.4
cannot switch on a font feature, and columns of numbers need digits of one width. Outlines become quadratic, so
that Qt embeds them in PDF files as TrueType. Braid Mono is JetBrains Mono cut alike, without ligatures.
"""
import pathlib
import sys

from fontTools import subset
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable

INTER = pathlib.Path("/usr/share/fonts/opentype/inter")
MONO = pathlib.Path("/usr/share/fonts/truetype/jetbrains-mono")
OUT = pathlib.Path(sys.argv[1])
CHARACTERS = (list(range(0x20, 0x7F)) + list(range(0xA0, 0x180)) + list(range(0x391, 0x3CA))
              + [0x2009, 0x200A, 0x200B, 0x202F, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2018, 0x2019, 0x201C,
                 0x201D, 0x2022, 0x2026, 0x2032, 0x2033, 0x2039, 0x203A, 0x20AC, 0x2122, 0x2190, 0x2191, 0x2192,
                 0x2193, 0x2194, 0x2195, 0x21B5, 0x21B9, 0x21E7, 0x2205, 0x2206, 0x2211, 0x2212, 0x2215, 0x221A,
                 0x221E, 0x2248, 0x2260, 0x2264, 0x2265, 0x2303, 0x2318, 0x2325, 0x25CF, 0x25CB, 0x2713, 0x2717]
              + list(range(0x2070, 0x209D)))


def to_truetype(font):
    if "CFF " not in font:
        return
    glyph_set, order = font.getGlyphSet(), font.getGlyphOrder()
    glyphs = {}
    for name in order:
        pen = TTGlyphPen(glyph_set)
        glyph_set[name].draw(Cu2QuPen(pen, max_err=0.5, reverse_direction=True))
        glyphs[name] = pen.glyph()
    font["loca"] = newTable("loca")
    font["glyf"] = glyf = newTable("glyf")
    glyf.glyphOrder, glyf.glyphs = order, glyphs
    for name in order:
        glyphs[name].recalcBounds(glyf)
    for tag in ("CFF ", "VORG"):
        if tag in font:
            del font[tag]
    maxp = font["maxp"]
    maxp.tableVersion = 0x00010000
    for field, value in {"maxZones": 1, "maxTwilightPoints": 0, "maxStorage": 0, "maxFunctionDefs": 0,
                         "maxInstructionDefs": 0, "maxStackElements": 0, "maxSizeOfInstructions": 0,
                         "maxComponentElements": 0}.items():
        setattr(maxp, field, value)
    font["post"].formatType = 3.0
    font.sfntVersion = "\000\001\000\000"


def tabular_digits(font):
    lookup = {}
    table = font["GSUB"].table
    for record in table.FeatureList.FeatureRecord:
        if record.FeatureTag == "tnum":
            for index in record.Feature.LookupListIndex:
                for sub in table.LookupList.Lookup[index].SubTable:
                    lookup.update(getattr(sub, "ExtSubTable", sub).mapping)
    digits = [font.getBestCmap()[code] for code in range(ord("0"), ord("9") + 1)]
    digits = [lookup.get(name, name) for name in digits]
    widest = max(font["hmtx"][name][0] for name in digits)
    for name in digits:  # some weights are off by a unit
        font["hmtx"][name] = (widest, font["hmtx"][name][1])
    for cmap in font["cmap"].tables:
        for code in range(ord("0"), ord("9") + 1):
            if code in cmap.cmap:
                cmap.cmap[code] = lookup.get(cmap.cmap[code], cmap.cmap[code])


def rename(font, family, style):
    names = font["name"]
    copyright_text, license_text = names.getDebugName(0), names.getDebugName(13)
    names.names = []
    legacy = family if style == "Regular" else f"{family} {style}"
    full = f"{family} {style}"
    for identifier, text in {0: copyright_text, 1: legacy, 2: "Regular", 3: full + " (Braid)", 4: full,
                             5: "Version 1", 6: full.replace(" ", "") , 13: license_text,
                             14: "https://scripts.sil.org/OFL", 16: family, 17: style}.items():
        if text:
            names.setName(text, identifier, 3, 1, 0x409)


def make(source, target, family, style, digits, features):
    font = TTFont(source)
    if digits:
        tabular_digits(font)
    options = subset.Options(layout_features=features, hinting=False, notdef_outline=True, name_IDs=["*"],
                             glyph_names=False, drop_tables=["DSIG", "STAT", "MVAR"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)
    to_truetype(font)
    rename(font, family, style)
    font.save(OUT / target)


for weight, style in (("Regular", "Regular"), ("Medium", "Medium"), ("SemiBold", "SemiBold")):
    make(INTER / f"Inter-{weight}.otf", f"BraidSans-{weight}.ttf", "Braid Sans", style, True, ["kern", "mark"])
make(MONO / "JetBrainsMono-Regular.ttf", "BraidMono-Regular.ttf", "Braid Mono", "Regular", False, ["mark"])
