/** French texts: what is rare. */
export const others: Readonly<Record<string, string>> = {
  "This action takes no input; send no body.": "Cette action ne prend pas d'entrée ; n'envoyez pas de corps.",
  "{rule} took longer than {limit} ms; nothing was written.": "{rule} a duré plus de {limit} ms ; rien n'a été écrit.",
  "A body parser of this server has parsed the body, so the bytes that were signed are lost. Mount restwright before body parsers.":
    "Un analyseur de corps de ce serveur a lu le corps ; les octets signés sont perdus. Montez restwright avant les analyseurs de corps.",
  "A body parser of this server has read the body before restwright: a body parser has already parsed it. Mount restwright before body parsers.":
    "Un analyseur de corps de ce serveur a lu le corps avant restwright. Montez restwright avant les analyseurs de corps.",
  "A sealed text has been changed, or was sealed for another context.": "Un texte scellé a été modifié, ou scellé pour un autre contexte.",
  "The job was canceled while it was queued.": "La tâche a été annulée pendant son attente.",
  "The job was tried {count} times in a row without getting any further.": "La tâche a été essayée {count} fois de suite sans progresser.",
  "The file of the import is not the one with which it began.": "Le fichier de l’importation n’est pas celui avec lequel elle a commencé.",
  "Every process that imported this row crashed.": "Chaque processus qui a importé cette ligne s’est arrêté brutalement.",
  "The rows of an import kept changing.": "Les lignes d’une importation n’ont cessé de changer.",
  "A row changed while it was being imported.": "Une ligne a changé pendant son importation.",
  "It cannot be imported": "Il ne peut pas être importé",
  "Unknown member {name}.": "Membre inconnu {name}.",
  "Nothing stands at this path; try it without the slash at its end.": "Il n’y a rien à ce chemin ; essayez sans la barre oblique finale.",
  "Nothing stands at this path.": "Il n’y a rien à ce chemin.",
  "The request could not be answered.": "La requête n’a pas pu recevoir de réponse.",
  "The secret of the webhook cannot be opened, so nothing can be signed; rotate it by POST to its rotate-secret.":
    "Le secret du webhook ne peut pas être ouvert, rien ne peut donc être signé ; renouvelez-le par POST vers rotate-secret.",
  "What was stored for the job cannot be opened with the secrets of the service; send the request again.":
    "Ce qui a été enregistré pour la tâche ne peut pas être ouvert avec les secrets du service ; renvoyez la requête.",
  "The store refused rows of an import.": "Le stockage a refusé des lignes d’une importation.",
  "The row has no result.": "La ligne n’a pas de résultat.",
  "The file is larger than {maximum} bytes, which is the maximum for checks.": "Le fichier dépasse {maximum} octets, le maximum pour les contrôles.",
  "A body parser of this server has read the body before restwright: {size} bytes arrived, but {announced} were announced. Mount restwright before body parsers.":
    "Un analyseur de corps de ce serveur a lu le corps avant restwright : {size} octets sont arrivés, mais {announced} étaient annoncés. Montez restwright avant les analyseurs de corps.",
  "{field}: {*what}": "{field} : {what}",
};
