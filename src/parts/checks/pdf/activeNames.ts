/** Names of PDF features that run code, send data, open something else, or embed files. */
export const pdfActiveNames = [
  "AA",
  "EmbeddedFile",
  "EmbeddedFiles",
  "FileAttachment",
  "GoToE",
  "GoToR",
  "ImportData",
  "JS",
  "JavaScript",
  "Launch",
  "Movie",
  "OpenAction",
  "Rendition",
  "RichMedia",
  "RichMediaExecute",
  "SubmitForm",
  "XFA",
] as const;

/** A name that {@link pdfCheck} rejects unless it is allowed. */
export type PdfActiveName = (typeof pdfActiveNames)[number];
