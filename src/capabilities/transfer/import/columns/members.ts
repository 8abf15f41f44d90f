import type { Resource } from "../../../../engine/resource/resource.js";
import type { Limits } from "../../../../ground/limits/limits.js";
import type { RowFault, SourceRow } from "../../rows.js";
import type { ImportSettings } from "../../settings.js";
import type { ImportTarget, ReadRecord } from "./columns.js";
import { type JsonMembers, jsonMembers, memberFault } from "./jsonMembers.js";

/** The members of a row of a file. */
export interface RowMembers {
  /** As in the body of a single write. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Values for generated fields, if the resource imports them. */
  readonly generated: Readonly<Record<string, unknown>>;
}

/** @returns the members, or why the row cannot be read */
export type ReadMembers = (row: SourceRow) => RowMembers | RowFault;

/** What `generated` is of rows without values for generated fields. */
export const noMembers: Readonly<Record<string, unknown>> = {};

/**
 * Compiles how rows of CSV are read.
 *
 * @param names the names of the columns
 */
export function cellMembers(resource: Resource, names: readonly string[], readRecord: ReadRecord, limits: Pick<Limits, "jsonValues">): ReadMembers {
  return (row) => {
    const read = recordOf(row, names, readRecord, limits);
    return "fault" in read ? read.fault : splitGenerated(resource, read.members);
  };
}

/**
 * The members of a row of CSV. Checks the number of values, since cells with lists may contain more than a row may have, and for texts that stores cannot keep,
 * which JSON in a cell may write as escapes.
 */
export function recordOf(row: SourceRow, names: readonly string[], readRecord: ReadRecord, { jsonValues }: Pick<Limits, "jsonValues">): JsonMembers {
  const { cells = [], quotedEmpty } = row;
  const fault = cellsFault(row, names);
  if (fault !== undefined) return { fault };
  const members = readRecord(cells, quotedEmpty);
  // A value of a list takes at least two characters: itself and a separator.
  const mayHaveMore = cells.reduce((length, cell) => length + cell.length + 2, 0) > 2 * jsonValues;
  const refused = memberFault(members, mayHaveMore ? jsonValues : undefined);
  return refused === undefined ? { members } : { fault: refused };
}

/** Why the cells of a row cannot be read; `undefined` if they can. */
function cellsFault({ cells = [], width = cells.length, fault }: SourceRow, names: readonly string[]): RowFault | undefined {
  if (fault !== undefined) return fault;
  if (width !== names.length) {
    return { code: "ROW_WIDTH", detail: `The row has ${width} cells; the header has ${names.length}.` };
  }
  return undefined;
}

/** Compiles how rows of JSON are read: renames members by `map`, and with `unknownColumns=ignore` leaves out members that cannot be set. */
export function valueMembers(
  resource: Resource,
  { map, unknownColumns }: Pick<ImportSettings, "map" | "unknownColumns">,
  { fields, refuse }: ImportTarget,
): ReadMembers {
  const isLeftOut = (name: string) => !fields.has(name) && refuse(name)?.code !== "FORBIDDEN_FIELD";
  return (row) => {
    const read = jsonMembers(row, map, unknownColumns === "ignore" ? isLeftOut : undefined);
    return "fault" in read ? read.fault : splitGenerated(resource, read.members);
  };
}

function splitGenerated(resource: Resource, members: Readonly<Record<string, unknown>>): RowMembers {
  const { generated: settable = new Set<string>() } = resource.import ?? {};
  if (settable.size === 0) return { members, generated: noMembers };
  const generated: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    if (!settable.has(name)) others[name] = value;
    else if (value !== undefined && value !== null) generated[name] = value;
  }
  return { members: others, generated };
}
