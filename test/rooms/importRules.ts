import { existsSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters, floors, type Room, rooms } from "./rooms.js";

/** An override of Biome's configuration. */
interface Override {
  readonly includes: readonly string[];
  readonly linter: object;
}

/** Folders of a room that have rules of their own; files in deeper ones have those of the last. */
const deepestFolder = 2;

/**
 * Biome's rules of what each room and adapter may import. Patterns match the text of an import, not the file it leads to, so each depth of a folder has a rule: what leads
 * out of the room is denied, and then what the room may import is allowed by its relative path. A room within another has the later rule, which replaces the other.
 */
export function importRules(): Override[] {
  return [...rooms.flatMap(roomRules), ...adapters.map(adapterRule)];
}

function roomRules(room: Room): Override[] {
  const [path] = room.paths;
  const targets = room.mayImport.flatMap(targetsOf).filter((target) => target !== path);
  // The last pattern that matches decides, and what allows an outer room denies all above it.
  targets.sort((a, b) => Number(path.startsWith(`${b}/`)) - Number(path.startsWith(`${a}/`)));
  if (path.endsWith(".ts"))
    return [override([path], room, ["./**", "../**", ...targets.flatMap((target) => allowedFrom(posix.dirname(path), target))])];
  return Array.from({ length: deepestFolder + 1 }, (_, depth) => {
    const folder = path + "/*".repeat(depth);
    const out = `${"../".repeat(depth + 1)}**`;
    return override([`${folder}/${depth === deepestFolder ? "**/*" : "*"}`], room, [
      out,
      ...targets.flatMap((target) => allowedFrom(folder, target)),
    ]);
  });
}

/** An adapter may import other adapters; what it may import from `src` are the rooms of its row. */
function adapterRule(room: Room): Override {
  const allowed = room.mayImport.flatMap(targetsOf).flatMap((target) => allowedFrom("", target).map((pattern) => pattern.replace("!./", "!**/")));
  return override(
    room.paths.map((path) => (path.endsWith(".ts") ? path : `${path}/**`)),
    room,
    ["**/src/**", ...allowed],
  );
}

function override(includes: readonly string[], { name, mayImport }: Room, group: readonly string[]): Override {
  const message = `"${name}" may import ${mayImport.join(", ")} only; see rooms.json.`;
  const options = { patterns: [{ group: ["restwright", "restwright/**", ...group], message }] };
  return { includes, linter: { rules: { style: { noRestrictedImports: { level: "error", options } } } } };
}

/** Patterns that allow a folder, or the JavaScript of a file, to the files of a folder. */
function allowedFrom(folder: string, target: string): string[] {
  const relative = posix.relative(folder, target);
  if (/^[./]*$/.test(relative)) return [`!${relative || "."}/**`, `${posix.join(relative, "..")}/**`];
  const path = relative.startsWith(".") ? relative : `./${relative}`;
  return [path.endsWith(".ts") ? `!${path.replace(/\.ts$/, ".js")}` : `!${path}/**`];
}

/**
 * The paths that a name of `mayImport` stands for.
 *
 * @throws {Error} if nothing has that name
 */
export function targetsOf(name: string): readonly string[] {
  if (name in floors) return rooms.filter(({ floor }) => floor === name).flatMap(({ paths }) => paths);
  const room = rooms.find((each) => each.name === name);
  if (room !== undefined) return room.paths;
  const [base = "", ...rest] = name.split("/");
  const parent = base === "adapters" ? base : rooms.find((each) => each.name === base)?.paths[0];
  const target = [`${parent}/${rest.join("/")}.ts`, `${parent}/${rest.join("/")}`].find(
    (path) => rest.length > 0 && existsSync(fileURLToPath(new URL(`../../${path}`, import.meta.url))),
  );
  if (target === undefined) throw new Error(`rooms.json allows to import "${name}", which is neither a floor, a room, nor a folder or file of one.`);
  return [target];
}
