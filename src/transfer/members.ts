import type { Resource } from "../resource/resource.js";
import type { ImportTarget, ReadRecord } from "./columns.js";
import { jsonMembers } from "./jsonMembers.js";
import type { RowFault, SourceRow } from "./rows.js";
import type { ImportSettings } from "./settings.js";

/** What a row of a file says of a row of the collection. */
export interface RowMembers {
  /** As a body would say them. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Generated fields that the file brings. */
  readonly generated: Readonly<Record<string, unknown>>;
}

/** @returns the members, or why the row has none that could be used */
export type ReadMembers = (row: SourceRow) => RowMembers | RowFault;

const none: Readonly<Record<string, unknown>> = {};

/**
 * How rows of CSV are read.
 *
 * @param names of their columns
 */
export function cellMembers(resource: Resource, names: readonly string[], readRecord: ReadRecord): ReadMembers {
  return (row) => cellsFault(row, names) ?? apart(resource, readRecord(row.cells ?? [], row.quotedEmpty));
}

/** Why the cells of a row cannot be read; `undefined` where they can. */
export function cellsFault({ cells = [], fault }: SourceRow, names: readonly string[]): RowFault | undefined {
  if (fault !== undefined) return fault;
  if (cells.length !== names.length) {
    return { code: "ROW_WIDTH", detail: `The row has ${cells.length} cells; the header has ${names.length}.` };
  }
  const nul = cells.findIndex((cell) => cell.includes("\0"));
  if (nul === -1) return undefined;
  return { code: "VALIDATION_FAILED", detail: "Text must not contain NUL (U+0000).", field: names[nul] };
}

/** How rows of JSON are read: members by other names are renamed, and those that cannot be set are left out where that is asked for. */
export function valueMembers(
  resource: Resource,
  { map, unknownColumns }: Pick<ImportSettings, "map" | "unknownColumns">,
  { fields, refuse }: ImportTarget,
): ReadMembers {
  const isLeftOut = (name: string) => !fields.has(name) && refuse(name)?.code !== "FORBIDDEN_FIELD";
  return (row) => {
    const read = jsonMembers(row, map, unknownColumns === "ignore" ? isLeftOut : undefined);
    return "fault" in read ? read.fault : apart(resource, read.members);
  };
}

function apart(resource: Resource, members: Readonly<Record<string, unknown>>): RowMembers {
  const { generated: settable = new Set<string>() } = resource.import ?? {};
  if (settable.size === 0) return { members, generated: none };
  const generated: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (!settable.has(name)) others[name] = value;
    else if (value !== undefined && value !== null) generated[name] = value;
  }
  return { members: others, generated };
}
