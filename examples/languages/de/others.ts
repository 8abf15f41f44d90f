/** German texts: what is rare. */
export const others: Readonly<Record<string, string>> = {
  "This action takes no input; send no body.": "Diese Aktion nimmt keine Eingabe; senden Sie keinen Body.",
  "{rule} took longer than {limit} ms; nothing was written.": "{rule} dauerte länger als {limit} ms; nichts wurde geschrieben.",
  "A body parser of this server has parsed the body, so the bytes that were signed are lost. Mount restwright before body parsers.":
    "Ein Bodyparser dieses Servers hat den Body gelesen, deshalb sind die signierten Bytes verloren. Binden Sie restwright vor Bodyparsern ein.",
  "A body parser of this server has read the body before restwright: a body parser has already parsed it. Mount restwright before body parsers.":
    "Ein Bodyparser dieses Servers hat den Body vor restwright gelesen. Binden Sie restwright vor Bodyparsern ein.",
  "A sealed text has been changed, or was sealed for another context.":
    "Ein versiegelter Text wurde geändert, oder für einen anderen Zweck versiegelt.",
  "The job was canceled while it was queued.": "Der Auftrag wurde abgebrochen, während er wartete.",
  "The job was tried {count} times in a row without getting any further.": "Der Auftrag wurde {count}-mal nacheinander ohne Fortschritt versucht.",
  "The file of the import is not the one with which it began.": "Die Datei des Imports ist nicht die, mit der er begann.",
  "Every process that imported this row crashed.": "Jeder Prozess, der diese Zeile importierte, ist abgestürzt.",
  "The rows of an import kept changing.": "Die Einträge eines Imports änderten sich ständig.",
  "A row changed while it was being imported.": "Ein Eintrag hat sich während des Imports geändert.",
  "It cannot be imported": "Er kann nicht importiert werden",
  "Unknown member {name}.": "Unbekanntes Feld {name}.",
  "Nothing stands at this path; try it without the slash at its end.":
    "Unter diesem Pfad gibt es nichts; versuchen Sie es ohne den Schrägstrich am Ende.",
  "Nothing stands at this path.": "Unter diesem Pfad gibt es nichts.",
  "The request could not be answered.": "Die Anfrage konnte nicht beantwortet werden.",
  "The secret of the webhook cannot be opened, so nothing can be signed; rotate it by POST to its rotate-secret.":
    "Das Geheimnis des Webhooks kann nicht geöffnet werden, deshalb kann nichts signiert werden; erneuern Sie es mit POST an rotate-secret.",
  "What was stored for the job cannot be opened with the secrets of the service; send the request again.":
    "Was für den Auftrag gespeichert wurde, kann mit den Geheimnissen des Dienstes nicht geöffnet werden; senden Sie die Anfrage noch einmal.",
  "The store refused rows of an import.": "Der Speicher hat Einträge eines Imports abgelehnt.",
  "The row has no result.": "Die Zeile hat kein Ergebnis.",
  "The file is larger than {maximum} bytes, which is the maximum for checks.":
    "Die Datei ist größer als {maximum} Byte, die Höchstgröße für Prüfungen.",
  "A body parser of this server has read the body before restwright: {size} bytes arrived, but {announced} were announced. Mount restwright before body parsers.":
    "Ein Bodyparser dieses Servers hat den Body vor restwright gelesen: {size} Byte kamen an, aber {announced} waren angekündigt. Binden Sie restwright vor Bodyparsern ein.",
  "{field}: {*what}": "{field}: {what}",
};
