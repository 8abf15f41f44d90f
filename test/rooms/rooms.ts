import table from "../../rooms.json" with { type: "json" };

/** A row of `rooms.json`. */
interface Row {
  /** A folder or file from the root of the repository; the first of several has the entry. */
  readonly path: string | readonly string[];
  /** The name of its entry in the package, without `restwright/`; a row without it is not public. */
  readonly entry?: string;
  /** Floors, rooms, and folders or files of rooms. Defaults to what its floor may import. */
  readonly mayImport?: readonly string[];
  readonly contains: string;
}

/** What stands on a floor, and what its rooms may import that have no list of their own. */
export interface Floor {
  readonly mayImport?: readonly string[];
  readonly contains: string;
}

/** A folder or file of `src`, or an adapter. */
export interface Room {
  readonly name: string;
  readonly floor: string;
  readonly paths: readonly [string, ...string[]];
  readonly entry: string | undefined;
  readonly mayImport: readonly string[];
  readonly contains: string;
}

/** What the floors of both tables say. */
export const floors: Readonly<Record<string, Floor>> = table.floors;

/** The rooms of `src`, lower ones first. */
export const rooms: readonly Room[] = rows(table.rooms);

/** The adapters. */
export const adapters: readonly Room[] = rows(table.adapters);

/** The source of each entry of the package, by its name, the main one first: `.`, `query`, `client/uploads`. */
export const entries: ReadonlyMap<string, string> = new Map(
  [...rooms, ...adapters]
    .flatMap(({ entry, paths: [path] }) => (entry === undefined ? [] : [[entry, path.endsWith(".ts") ? path : `${path}/index.ts`] as const]))
    .sort(([a], [b]) => Number(b === ".") - Number(a === ".")),
);

/** What users import: `restwright`, `restwright/query`. */
export const specifierOf = (entry: string) => (entry === "." ? "restwright" : `restwright/${entry}`);

/** The name of the files in `dist` that have an entry. */
export const bundleOf = (entry: string) => (entry === "." ? "index" : entry.replaceAll("/", "-"));

function rows(section: Readonly<Record<string, Readonly<Record<string, Row>>>>): Room[] {
  return Object.entries(section).flatMap(([floor, named]) => Object.entries(named).map(([name, row]) => roomOf(name, floor, row)));
}

function roomOf(name: string, floor: string, { path, entry, mayImport = floors[floor]?.mayImport, contains }: Row): Room {
  const [first, ...others] = typeof path === "string" ? [path] : path;
  if (first === undefined) throw new Error(`"${name}" of rooms.json has no path.`);
  if (mayImport === undefined) throw new Error(`Neither "${name}" of rooms.json nor its floor "${floor}" has "mayImport".`);
  return { name, floor, paths: [first, ...others], entry, mayImport, contains };
}
