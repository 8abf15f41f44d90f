import { adapters, floors, type Room, rooms, specifierOf } from "./rooms.js";

/** The tables of `docs/architecture.md`, by the names of their markers. */
export const maps = (): ReadonlyMap<string, string> =>
  new Map([
    ["rooms", table(["room", "entry", "contents", "may import"], rooms)],
    ["adapters", table(["adapter", "entry", "contents", "may import from `src`"], adapters)],
  ]);

function table(header: readonly string[], shown: readonly Room[]): string {
  const lines = [header, header.map(() => "---")];
  for (const [index, { name, floor, entry, contains, mayImport }] of shown.entries()) {
    const ofFloor = floors[floor]?.mayImport;
    if (shown[index - 1]?.floor !== floor) lines.push([`**${floor}**`, "", `**${floors[floor]?.contains}**`, listed(ofFloor ?? [])]);
    const own = mayImport === ofFloor ? "" : listed(mayImport);
    lines.push([name.includes(" ") ? name : `\`${name}\``, entry === undefined ? "" : `\`${specifierOf(entry)}\``, contains, own]);
  }
  return lines.map((cells) => `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |")).join("\n");
}

/** Floors are words, rooms are code. */
const listed = (names: readonly string[]) => names.map((name) => (name in floors ? name : `\`${name}\``)).join(", ");
