/** German texts: jobs, exports and what they need. */
export const jobs: Readonly<Record<string, string>> = {
  "The job is {status}; only one that is queued or processing can be canceled.":
    "Der Auftrag ist {status}; nur einer im Zustand queued oder processing kann abgebrochen werden.",
  "The job was canceled.": "Der Auftrag wurde abgebrochen.",
  "{count} jobs are waiting already, which is as many as may.": "{count} Aufträge warten bereits, mehr sind nicht erlaubt.",
  'The job "{name}" takes no input.': "Der Auftrag „{name}“ nimmt keine Eingabe.",
  'The handler "{name}" has done its work, but its result cannot be written as JSON.':
    "Der Auftrag „{name}“ ist erledigt, aber sein Ergebnis lässt sich nicht als JSON schreiben.",
  "The file of the import no longer exists.": "Die Datei des Imports gibt es nicht mehr.",
  "The import is {status}; only a failed import can be resumed.": "Der Import ist {status}; nur ein fehlgeschlagener Import kann fortgesetzt werden.",
  "The file of the import has been removed; send it again, with an offset.":
    "Die Datei des Imports wurde entfernt; senden Sie sie erneut, mit einem Offset.",
  "The export is {status} and has no file.": "Der Export ist {status} und hat keine Datei.",
  'What you may read of "{collection}" has changed since this file was made. Export again.':
    "Was Sie von „{collection}“ lesen dürfen, hat sich geändert, seit diese Datei erstellt wurde. Exportieren Sie erneut.",
  "The principal of this request no longer exists, or may not do this any more.":
    "Den Absender dieser Anfrage gibt es nicht mehr, oder er darf dies nicht mehr tun.",
  "The stored response shows rows that you may not read any more. The operation itself is done.":
    "Die gespeicherte Antwort zeigt Einträge, die Sie nicht mehr lesen dürfen. Die Operation selbst ist erledigt.",
  'Not allowed to read any field of "{collection}".': "Sie dürfen kein Feld von „{collection}“ lesen.",
  "The file expired at {time}.": "Die Datei ist seit {time} abgelaufen.",
  '"{name}" applies to CSV only; the format is {format}.': "„{name}“ gilt nur für CSV; das Format ist {format}.",
  'An export cannot contain related rows; "{name}" is a relation.':
    "Ein Export kann keine verbundenen Einträge enthalten; „{name}“ ist eine Beziehung.",
  "An export has no member {name}.": "Ein Export hat kein Feld {name}.",
  "{name} applies to lists only: an export contains all matching rows.": "{name} gilt nur für Listen: ein Export enthält alle passenden Einträge.",
  "{name} applies to lists only: an export cannot contain related rows.":
    "{name} gilt nur für Listen: ein Export kann keine verbundenen Einträge enthalten.",
  "This service has no jobs; use GET {path} instead.": "Dieser Dienst hat keine Aufträge; verwenden Sie GET {path}.",
  "This service does not store files; use GET {path} instead.": "Dieser Dienst speichert keine Dateien; verwenden Sie GET {path}.",
  "This service has no jobs; send the file to POST {path} instead.": "Dieser Dienst hat keine Aufträge; senden Sie die Datei an POST {path}.",
  "This service does not store files; send the file to POST {path} instead.":
    "Dieser Dienst speichert keine Dateien; senden Sie die Datei an POST {path}.",
};
