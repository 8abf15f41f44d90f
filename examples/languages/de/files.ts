/** German texts: checks of files. */
export const files: Readonly<Record<string, string>> = {
  "The file is {*is}; allowed are {names}, under names and types of their own.":
    "Die Datei ist {is}; erlaubt sind {names}, unter eigenen Namen und Typen.",
  "The file is {*is}; no files are accepted.": "Die Datei ist {is}; keine Dateien werden angenommen.",
  "The file is {&is}; allowed are {names}, under names and types of their own.":
    "Die Datei ist {is}; erlaubt sind {names}, unter eigenen Namen und Typen.",
  "The file is {&is}; no files are accepted.": "Die Datei ist {is}; keine Dateien werden angenommen.",
  "{?first}, and {*second}": "{first}, und {second}",
  "{*first} and {*second}": "{first} und {second}",
  "of an unknown type": "von unbekanntem Typ",
  '"{extension}" by its name': "„{extension}“ nach ihrem Namen",
  '"{type}" by its header': "„{type}“ nach ihrem Header",
  "The file begins as {type}, but is not UTF-8 text without NUL from byte {offset} on.":
    "Die Datei beginnt als {type}, ist aber ab Byte {offset} kein UTF-8-Text ohne NUL.",
  "The image has {width} by {height} pixels; allowed: {*most}.": "Das Bild hat {width} mal {height} Pixel; erlaubt: {most}.",
  "{maximum} pixels": "{maximum} Pixel",
  "a width of {maximum}": "eine Breite von {maximum}",
  "a height of {maximum}": "eine Höhe von {maximum}",
  "The PDF has active content: /{name}.": "Das PDF hat aktive Inhalte: /{name}.",
  "The document is encrypted.": "Das Dokument ist verschlüsselt.",
  "The archive is encrypted.": "Das Archiv ist verschlüsselt.",
  "The PDF is encrypted.": "Das PDF ist verschlüsselt.",
};
