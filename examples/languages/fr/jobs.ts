/** French texts: jobs, exports and what they need. */
export const jobs: Readonly<Record<string, string>> = {
  "The job is {status}; only one that is queued or processing can be canceled.":
    "La tâche est {status} ; seule une tâche queued ou processing peut être annulée.",
  "The job was canceled.": "La tâche a été annulée.",
  "{count} jobs are waiting already, which is as many as may.": "{count} tâches attendent déjà, ce qui est le maximum.",
  'The job "{name}" takes no input.': "La tâche « {name} » ne prend pas de données.",
  'The handler "{name}" has done its work, but its result cannot be written as JSON.':
    "La tâche « {name} » est faite, mais son résultat ne peut pas être écrit en JSON.",
  "The file of the import no longer exists.": "Le fichier de l’importation n’existe plus.",
  "The import is {status}; only a failed import can be resumed.": "L’importation est {status} ; seule une importation échouée peut être reprise.",
  "The file of the import has been removed; send it again, with an offset.":
    "Le fichier de l’importation a été supprimé ; renvoyez-le, avec un décalage.",
  "The export is {status} and has no file.": "L’exportation est {status} et n’a pas de fichier.",
  'What you may read of "{collection}" has changed since this file was made. Export again.':
    "Ce que vous pouvez lire de « {collection} » a changé depuis la création de ce fichier. Relancez l’export.",
  "The principal of this request no longer exists, or may not do this any more.":
    "L’auteur de cette requête n’existe plus, ou il n’y est plus autorisé.",
  "The stored response shows rows that you may not read any more. The operation itself is done.":
    "La réponse enregistrée montre des entrées que vous ne pouvez plus lire. L’opération elle-même est effectuée.",
  'Not allowed to read any field of "{collection}".': "Vous ne pouvez lire aucun champ de « {collection} ».",
  "The file expired at {time}.": "Le fichier a expiré à {time}.",
  '"{name}" applies to CSV only; the format is {format}.': "« {name} » ne s’applique qu’au CSV ; le format est {format}.",
  'An export cannot contain related rows; "{name}" is a relation.':
    "Une exportation ne peut pas contenir de lignes liées ; « {name} » est une relation.",
  "An export has no member {name}.": "Une exportation n’a pas de membre {name}.",
  "{name} applies to lists only: an export contains all matching rows.":
    "{name} ne s’applique qu’aux listes : une exportation contient toutes les lignes correspondantes.",
  "{name} applies to lists only: an export cannot contain related rows.":
    "{name} ne s’applique qu’aux listes : une exportation ne peut pas contenir de lignes liées.",
  "This service has no jobs; use GET {path} instead.": "Ce service n’a pas de tâches ; utilisez GET {path}.",
  "This service does not store files; use GET {path} instead.": "Ce service ne stocke pas de fichiers ; utilisez GET {path}.",
  "This service has no jobs; send the file to POST {path} instead.": "Ce service n’a pas de tâches ; envoyez le fichier à POST {path}.",
  "This service does not store files; send the file to POST {path} instead.":
    "Ce service ne stocke pas de fichiers ; envoyez le fichier à POST {path}.",
};
