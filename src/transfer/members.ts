import type { Resource } from "../resource/resource.js";
import { isPlainObject } from "../schema/wire.js";
import type { ReadRecord } from "./columns.js";
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

/** How rows of CSV are read, by their header. */
export function cellMembers(resource: Resource, columns: number, readRecord: ReadRecord): ReadMembers {
  return (row) => cellsFault(row, columns) ?? apart(resource, readRecord(row.cells ?? [], row.quotedEmpty));
}

/** Why the cells of a row cannot be read; `undefined` where they can. */
export function cellsFault({ cells = [], fault }: SourceRow, columns: number): RowFault | undefined {
  if (fault !== undefined) return fault;
  if (cells.length !== columns) {
    return { code: "ROW_WIDTH", detail: `The row has ${cells.length} cells; the header has ${columns}.` };
  }
  const nul = cells.findIndex((cell) => cell.includes("\0"));
  if (nul === -1) return undefined;
  return { code: "VALIDATION_FAILED", detail: `Text must not contain NUL (U+0000); cell ${nul + 1} does.` };
}

/** How rows of JSON are read: members by other names are renamed, and those that cannot be set are left out where that is asked for. */
export function valueMembers(
  resource: Resource,
  { map, unknownColumns, key }: Pick<ImportSettings, "map" | "unknownColumns" | "key">,
  isSettable: (name: string) => boolean,
): ReadMembers {
  const renames = Object.entries(map);
  return ({ value, fault }) => {
    if (fault !== undefined) return fault;
    if (!isPlainObject(value)) return { code: "ROW_NOT_OBJECT", detail: "The row is no JSON object." };
    let members: Record<string, unknown> = value;
    if (renames.length > 0 || unknownColumns === "ignore") {
      members = {};
      for (const [given, member] of Object.entries(value)) {
        const name = Object.hasOwn(map, given) ? (map[given] ?? given) : given;
        if (unknownColumns === "error" || name === key || isSettable(name)) members[name] = member;
      }
    }
    return apart(resource, members);
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
