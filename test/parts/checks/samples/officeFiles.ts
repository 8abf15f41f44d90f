import { type ZipSample, zipFile, zipOf } from "./zipFile.js";

type Parts = Readonly<Record<string, string | Uint8Array>>;

const declaration = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n`;
const main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";

export function contentTypes(...types: readonly string[]): string {
  const overrides = [main, ...types].map((type, index) => `<Override PartName="/word/part${index}" ContentType="${type}"/>`);
  return `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${overrides.join("")}</Types>`;
}

export function relationships(...rest: readonly string[]): string {
  return `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rest.join("")}</Relationships>`;
}

export function relationship(type: string, target = "part.xml"): string {
  return `<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
}

const word: Parts = {
  "[Content_Types].xml": contentTypes(),
  "_rels/.rels": relationships(relationship("officeDocument", "word/document.xml")),
  "word/document.xml": `${declaration}<w:document xmlns:w="urn:w"><w:body><w:p>Harmless, with the word macro.</w:p></w:body></w:document>`,
};

/** A document of Word with further parts. */
export function docx(parts: Parts = {}): Buffer {
  return zipOf({ ...word, ...parts });
}

/** A workbook, as openpyxl orders it. */
export function xlsx(parts: Parts = {}): Buffer {
  return zipOf({ "docProps/app.xml": declaration, "xl/workbook.xml": `${declaration}<workbook/>`, ...parts, "[Content_Types].xml": contentTypes() });
}

export function pptx(parts: Parts = {}): Buffer {
  return zipOf({ "[Content_Types].xml": contentTypes(), "ppt/presentation.xml": `${declaration}<p/>`, ...parts });
}

/** An OpenDocument text. */
export function odt(parts: Parts = {}): Buffer {
  const mimetype: ZipSample = { name: "mimetype", data: "application/vnd.oasis.opendocument.text", isStored: true };
  const rest: Parts = {
    "content.xml": `${declaration}<office:document-content xmlns:office="urn:o"/>`,
    "META-INF/manifest.xml": `${declaration}<manifest:manifest xmlns:manifest="urn:m"/>`,
    "Configurations2/accelerator/current.xml": "",
    ...parts,
  };
  return zipFile([mimetype, ...Object.entries(rest).map(([name, data]) => ({ name, data }))]);
}
