/** German texts: JSON Patch. */
export const patches: Readonly<Record<string, string>> = {
  "A JSON Patch is an array of operations.": "Ein JSON Patch ist ein Array von Operationen.",
  'The patch has {count} operations; allowed are {maximum} ("operations").':
    'Der Patch hat {count} Operationen; erlaubt sind {maximum} ("operations").',
  "The document is nested deeper than {maximum} levels; a JSON Patch cannot be applied to it.":
    "Das Dokument ist tiefer als {maximum} Ebenen geschachtelt; ein JSON Patch kann nicht darauf angewendet werden.",
  "The result of the patch must be an object.": "Das Ergebnis des Patches muss ein Objekt sein.",
  "Operation {index} ({op}): {*detail}": "Operation {index} ({op}): {detail}",
  "Operation {index}: {*detail}": "Operation {index}: {detail}",
  'the patch is too large; allowed are {maximum} ("{limit}").': 'Der Patch ist zu groß; erlaubt sind {maximum} ("{limit}").',
  'the patch copies or moves too much; allowed are {maximum} ("{limit}").':
    'Der Patch kopiert oder verschiebt zu viel; erlaubt sind {maximum} ("{limit}").',
  'the result is too large; allowed are {maximum} ("{limit}").': 'Das Ergebnis ist zu groß; erlaubt sind {maximum} ("{limit}").',
  'the result is nested deeper than {maximum} levels ("depth").': 'Das Ergebnis ist tiefer als {maximum} Ebenen geschachtelt ("depth").',
  'the value is too large; allowed are {maximum} ("{limit}").': 'Der Wert ist zu groß; erlaubt sind {maximum} ("{limit}").',
  'a pointer is empty or begins with "/"; got {value}.': 'Ein Pointer ist leer oder beginnt mit "/"; gesendet wurde {value}.',
  "a pointer has at most {maximum} steps, as deep as a document may be; {value} has more.":
    "Ein Pointer hat höchstens {maximum} Schritte, so tief, wie ein Dokument sein darf; {value} hat mehr.",
  'in a pointer "~" is written "~0" and "/" inside a name "~1"; got {value}.':
    'In einem Pointer schreibt man "~" als "~0" und "/" in einem Namen als "~1"; gesendet wurde {value}.',
  "a pointer must not contain NUL (U+0000) or half of a surrogate pair.":
    "Ein Pointer darf weder NUL (U+0000) noch ein halbes Surrogatpaar enthalten.",
  'the step "{step}" could change the prototype of an object and is not allowed.':
    "Der Schritt „{step}“ könnte den Prototyp eines Objekts ändern und ist nicht erlaubt.",
  'a member "constructor" with a "prototype" could change the prototype of an object and is not allowed.':
    'Ein Feld "constructor" mit "prototype" könnte den Prototyp eines Objekts ändern und ist nicht erlaubt.',
  "it is not an object.": "Sie ist kein Objekt.",
  "{value} is not an operation; allowed: {operations}.": "{value} ist keine Operation; erlaubt: {operations}.",
  'it needs a member "op" that is text; allowed: {operations}.': 'Sie braucht ein Feld "op" mit Text; erlaubt: {operations}.',
  'it needs a member "value", which may be null.': 'Sie braucht ein Feld "value", das null sein darf.',
  'it needs a member "{member}".': "Sie braucht ein Feld „{member}“.",
  '"{member}" must be a JSON pointer, as text.': "„{member}“ muss ein JSON Pointer sein, als Text.",
  "the value is not JSON.": "Der Wert ist kein JSON.",
  "the whole document cannot be removed; replace it instead.": "Das ganze Dokument kann nicht entfernt werden; ersetzen Sie es.",
  "{?from} cannot be moved into a part of itself, {path}.": "{from} kann nicht in einen Teil von sich selbst verschoben werden, {path}.",
  "{?path} does not have the value of the test.": "{path} hat nicht den geprüften Wert.",
  "{?path} is neither an object nor an array; it has nothing at {step}.": "{path} ist weder Objekt noch Array; bei {step} ist dort nichts.",
  "{?path} has no member {step}.": "{path} hat kein Feld {step}.",
  '{?path} is an array; {step} is not an index of it, it is empty, or "-" for its end.':
    '{path} ist ein Array; {step} ist kein Index davon, es ist leer, oder "-" für sein Ende.',
  "{?path} is an array; {step} is not an index of it, it is empty.": "{path} ist ein Array; {step} ist kein Index davon, es ist leer.",
  '{?path} is an array; {step} is not an index of it, allowed: 0 to {end}, or "-" for its end.':
    '{path} ist ein Array; {step} ist kein Index davon; erlaubt: 0 bis {end}, oder "-" für sein Ende.',
  "{?path} is an array; {step} is not an index of it, allowed: 0 to {end}.":
    "{path} ist ein Array; {step} ist kein Index davon; erlaubt: 0 bis {end}.",
  "the document": "das Dokument",
};
