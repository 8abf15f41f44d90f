import type { ZipEntry } from "../zip/zipEntry.js";

/** Names of parts with macros or other active content. */
const names: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/vbaproject[^/]*\.bin$/, "a VBA project"],
  [/(?:^|\/)vbadata\.xml$/, "a VBA project"],
  [/(?:^|\/)(?:intl)?macrosheets\//, "an Excel 4.0 macro sheet"],
  [/(?:^|\/)activex\//, "an ActiveX control"],
  [/(?:^|\/)ctrlprops\/.*\.bin$/, "an ActiveX control"],
  [/(?:^|\/)embeddings\/.*\.bin$/, "an embedded OLE object"],
  [/(?:^|\/)basic\/./, "Basic macros"],
  [/(?:^|\/)scripts\/./, "scripts"],
];

/** Content types that are not allowed. */
const contentTypes: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/macroenabled|vbaproject/i, "macros, by its content types"],
  [/ms-excel\.(?:intl)?macrosheet/i, "an Excel 4.0 macro sheet"],
  [/activex/i, "an ActiveX control"],
  [/officedocument\.oleobject/i, "an embedded OLE object"],
];

/** Relationship types that are not allowed, by their last segment. */
const relationships: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\/(?:vbaproject|wordvbadata)\s*["']/i, "a VBA project"],
  [/\/xl(?:intl)?macrosheet\s*["']/i, "an Excel 4.0 macro sheet"],
  [/\/(?:control|activexcontrolbinary)\s*["']/i, "an ActiveX control"],
  [/\/oleobject\s*["']/i, "an embedded or linked OLE object"],
  [/\/attachedtemplate\s*["']/i, "a template elsewhere"],
];

/** The active content of a document, by the name of one of its parts. */
export function findMacrosByName({ name }: ZipEntry): string | undefined {
  return match(names, name.toLowerCase());
}

/** The active content of a document, by one of its index parts. */
export function findMacrosInOpenXml({ name }: ZipEntry, text: string): string | undefined {
  return match(isRelationships(name) ? relationships : contentTypes, text);
}

/** Whether a part lists the types or the relationships of others. */
export function isIndex({ name }: ZipEntry): boolean {
  return isRelationships(name) || name.toLowerCase() === "[content_types].xml";
}

function isRelationships(name: string): boolean {
  return name.toLowerCase().endsWith(".rels");
}

function match(rules: readonly (readonly [pattern: RegExp, what: string])[], text: string): string | undefined {
  return rules.find(([pattern]) => pattern.test(text))?.[1];
}
