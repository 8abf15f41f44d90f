/** Names that a PDF has only where something in it runs, is sent, is opened beside it, or is carried along. */
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

/** A name that {@link pdfCheck} refuses, and may be told to allow. */
export type PdfActiveName = (typeof pdfActiveNames)[number];
