/** A record, as the index shows it. */
export interface DecisionEntry {
  /** What it belongs to: a folder of `src`, such as `ground/http`, a folder of `adapters`, such as `adapters/stores/sql`, or `project`. */
  readonly room: string;
  /** Its file below the folder of its room, without the ending. */
  readonly slug: string;
  readonly title: string;
}

/** The folder of the records that belong to no room: dependencies, layout, toolchain. */
export const projectFolder = "project";

/**
 * The rooms and adapters in the order of the map of docs/architecture.md.
 *
 * @example
 * mappedRooms("## Map\n\n| room | contents |\n|---|---|\n| `http`, `problem` | … |\n") // ["http", "problem"]
 */
export function mappedRooms(architecture: string): string[] {
  const [, map = ""] = architecture.split(/^## Map$/m);
  const [tables = ""] = map.split(/^## /m);
  const rooms = [...tables.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, room = ""]) => room));
  return [...new Set(rooms)];
}

/**
 * The page that lists all records by room.
 *
 * @param rooms the rooms in their order; rooms that it leaves out follow by name, and the project comes last
 */
export function decisionsPage(entries: readonly DecisionEntry[], rooms: readonly string[]): string {
  const rank = (room: string) => {
    if (room === projectFolder) return rooms.length + 1;
    // A folder below a room stands with it.
    const name = room.split("/").findLast((part) => rooms.includes(part));
    return name === undefined ? rooms.length : rooms.indexOf(name);
  };
  const sections = [...new Set(entries.map(({ room }) => room))]
    .toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((room) => {
      const inRoom = entries.filter((entry) => entry.room === room).toSorted((a, b) => (a.slug < b.slug ? -1 : 1));
      return `## ${room}\n\n${inRoom.map(({ slug, title }) => `- [${title}](${room}/${slug}.md)\n`).join("")}`;
    });
  return [introduction, ...sections].join("\n");
}

const introduction = `# Decisions

Each record is one decision: its context, the choice and its price, with the alternatives that were considered. The records stand in the order of the
[map of the architecture](../architecture.md#map), room by room; the last section is about the project as a whole. The [glossary](../glossary.md) explains the project's own words.
\`npm run docs:decisions\` writes this page from the titles of the records.
`;
