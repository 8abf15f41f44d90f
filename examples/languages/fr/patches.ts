/** French texts: JSON Patch. */
export const patches: Readonly<Record<string, string>> = {
  "A JSON Patch is an array of operations.": "Un JSON Patch est un tableau d’opérations.",
  'The patch has {count} operations; allowed are {maximum} ("operations").':
    'Le patch a {count} opérations ; {maximum} sont autorisées ("operations").',
  "The document is nested deeper than {maximum} levels; a JSON Patch cannot be applied to it.":
    "Le document est imbriqué sur plus de {maximum} niveaux ; un JSON Patch ne peut pas lui être appliqué.",
  "The result of the patch must be an object.": "Le résultat du patch doit être un objet.",
  "Operation {index} ({op}): {*detail}": "Opération {index} ({op}) : {detail}",
  "Operation {index}: {*detail}": "Opération {index} : {detail}",
  'the patch is too large; allowed are {maximum} ("{limit}").': 'Le patch est trop grand ; autorisé : {maximum} ("{limit}").',
  'the patch copies or moves too much; allowed are {maximum} ("{limit}").': 'Le patch copie ou déplace trop ; autorisé : {maximum} ("{limit}").',
  'the result is too large; allowed are {maximum} ("{limit}").': 'Le résultat est trop grand ; autorisé : {maximum} ("{limit}").',
  'the result is nested deeper than {maximum} levels ("depth").': 'Le résultat est imbriqué sur plus de {maximum} niveaux ("depth").',
  'the value is too large; allowed are {maximum} ("{limit}").': 'La valeur est trop grande ; autorisé : {maximum} ("{limit}").',
  'a pointer is empty or begins with "/"; got {value}.': 'Un pointeur est vide ou commence par "/" ; reçu : {value}.',
  "a pointer has at most {maximum} steps, as deep as a document may be; {value} has more.":
    "Un pointeur a au plus {maximum} étapes, la profondeur permise d’un document ; {value} en a plus.",
  'in a pointer "~" is written "~0" and "/" inside a name "~1"; got {value}.':
    'Dans un pointeur, "~" s’écrit "~0" et "/" dans un nom "~1" ; reçu : {value}.',
  "a pointer must not contain NUL (U+0000) or half of a surrogate pair.":
    "Un pointeur ne doit contenir ni NUL (U+0000) ni la moitié d’une paire de substitution.",
  'the step "{step}" could change the prototype of an object and is not allowed.':
    "L’étape « {step} » pourrait changer le prototype d’un objet et n’est pas autorisée.",
  'a member "constructor" with a "prototype" could change the prototype of an object and is not allowed.':
    'Un membre "constructor" avec "prototype" pourrait changer le prototype d’un objet et n’est pas autorisé.',
  "it is not an object.": "Ce n’est pas un objet.",
  "{value} is not an operation; allowed: {operations}.": "{value} n’est pas une opération ; autorisées : {operations}.",
  'it needs a member "op" that is text; allowed: {operations}.': 'Elle exige un membre "op" qui est un texte ; autorisées : {operations}.',
  'it needs a member "value", which may be null.': 'Elle exige un membre "value", qui peut être null.',
  'it needs a member "{member}".': "Elle exige un membre « {member} ».",
  '"{member}" must be a JSON pointer, as text.': "« {member} » doit être un pointeur JSON, en texte.",
  "the value is not JSON.": "La valeur n’est pas du JSON.",
  "the whole document cannot be removed; replace it instead.": "Le document entier ne peut pas être supprimé ; remplacez-le.",
  "{?from} cannot be moved into a part of itself, {path}.": "{from} ne peut pas être déplacé dans une partie de lui-même, {path}.",
  "{?path} does not have the value of the test.": "{path} n’a pas la valeur du test.",
  "{?path} is neither an object nor an array; it has nothing at {step}.": "{path} n’est ni un objet ni un tableau ; il n’a rien à {step}.",
  "{?path} has no member {step}.": "{path} n’a pas de membre {step}.",
  '{?path} is an array; {step} is not an index of it, it is empty, or "-" for its end.':
    '{path} est un tableau ; {step} n’en est pas un indice, il est vide, ou "-" pour sa fin.',
  "{?path} is an array; {step} is not an index of it, it is empty.": "{path} est un tableau ; {step} n’en est pas un indice, il est vide.",
  '{?path} is an array; {step} is not an index of it, allowed: 0 to {end}, or "-" for its end.':
    '{path} est un tableau ; {step} n’en est pas un indice ; autorisé : 0 à {end}, ou "-" pour sa fin.',
  "{?path} is an array; {step} is not an index of it, allowed: 0 to {end}.":
    "{path} est un tableau ; {step} n’en est pas un indice ; autorisé : 0 à {end}.",
  "the document": "le document",
};
