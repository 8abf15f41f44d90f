/** Control words of objects, and of what is fetched or run when the document is opened. @see RTF 1.9.1 */
const words = /\\(?:objdata|objocx|objemb|objlink|objautlink|objupdate|objclass|object|template|ddeauto|filetbl)(?![a-z])/;

/** What runs in a document of rich text; `undefined` where nothing does. */
export function judgeRichText(text: string): string | undefined {
  const word = words.exec(text)?.[0];
  if (word === undefined) return undefined;
  return word === "\\template" ? "a template elsewhere" : "an embedded or linked OLE object";
}
