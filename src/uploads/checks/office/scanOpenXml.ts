import type { ZipEntry } from "../zip/zipEntry.js";

/** Names of parts that are macros, or what runs otherwise. */
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

/** What the list of content types may not name. */
const contentTypes: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/macroenabled|vbaproject/i, "macros, by its content types"],
  [/ms-excel\.(?:intl)?macrosheet/i, "an Excel 4.0 macro sheet"],
  [/activex/i, "an ActiveX control"],
  [/officedocument\.oleobject/i, "an embedded OLE object"],
];

/** What a part may not refer to: the last segment of the type of a relationship. */
const relationships: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\/(?:vbaproject|wordvbadata)\s*["']/i, "a VBA project"],
  [/\/xl(?:intl)?macrosheet\s*["']/i, "an Excel 4.0 macro sheet"],
  [/\/(?:control|activexcontrolbinary)\s*["']/i, "an ActiveX control"],
  [/\/oleobject\s*["']/i, "an embedded or linked OLE object"],
  [/\/attachedtemplate\s*["']/i, "a template elsewhere"],
];

/** What runs in a document, by the name of one of its parts. */
export function judgeName({ name }: ZipEntry): string | undefined {
  return match(names, name.toLowerCase());
}

/** What runs in a document, by one of the parts that say what the others are. */
export function judgeOpenXml({ name }: ZipEntry, text: string): string | undefined {
  return match(isRelationships(name) ? relationships : contentTypes, text);
}

/** Whether a part says what others are, or what belongs to them. */
export function isIndex({ name }: ZipEntry): boolean {
  return isRelationships(name) || name.toLowerCase() === "[content_types].xml";
}

function isRelationships(name: string): boolean {
  return name.toLowerCase().endsWith(".rels");
}

function match(rules: readonly (readonly [pattern: RegExp, what: string])[], text: string): string | undefined {
  return rules.find(([pattern]) => pattern.test(text))?.[1];
}
