/** French texts: checks of files. */
export const files: Readonly<Record<string, string>> = {
  "The file is {*is}; allowed are {names}, under names and types of their own.":
    "Le fichier est {is} ; sont autorisés {names}, sous leurs propres noms et types.",
  "The file is {*is}; no files are accepted.": "Le fichier est {is} ; aucun fichier n’est accepté.",
  "The file is {&is}; allowed are {names}, under names and types of their own.":
    "Le fichier est {is} ; sont autorisés {names}, sous leurs propres noms et types.",
  "The file is {&is}; no files are accepted.": "Le fichier est {is} ; aucun fichier n’est accepté.",
  "{?first}, and {*second}": "{first}, et {second}",
  "{*first} and {*second}": "{first} et {second}",
  "of an unknown type": "d’un type inconnu",
  '"{extension}" by its name': "« {extension} » d’après son nom",
  '"{type}" by its header': "« {type} » d’après son en-tête",
  "The file begins as {type}, but is not UTF-8 text without NUL from byte {offset} on.":
    "Le fichier commence comme {type}, mais n’est plus du texte UTF-8 sans NUL à partir de l’octet {offset}.",
  "The image has {width} by {height} pixels; allowed: {*most}.": "L’image a {width} sur {height} pixels ; autorisé : {most}.",
  "{maximum} pixels": "{maximum} pixels",
  "a width of {maximum}": "une largeur de {maximum}",
  "a height of {maximum}": "une hauteur de {maximum}",
  "The PDF has active content: /{name}.": "Le PDF a du contenu actif : /{name}.",
  "The document is encrypted.": "Le document est chiffré.",
  "The archive is encrypted.": "L’archive est chiffrée.",
  "The PDF is encrypted.": "Le PDF est chiffré.",
};
