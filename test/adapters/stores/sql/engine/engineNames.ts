import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A place where the sources ask which engine it is. */
export interface NamedPlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly code: string;
}

/** The sources of a folder, except the folders named after an engine. */
export function sharedSources(folder: string, engines: readonly string[]): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return engines.includes(entry.name) ? [] : sharedSources(path, engines);
    return entry.name.endsWith(".ts") ? [path] : [];
  });
}

/** Finds names of engines as values, flags such as `isSqlite`, comparisons of the name, and imports from the folder of an engine. */
export function findNames(file: string, source: string, engines: readonly string[]): readonly NamedPlace[] {
  const name = engines.join("|");
  const asks = new RegExp(
    [
      // "sqlite", 'sqlite' and `sqlite`, also as the key of a table and as a member.
      `["'\`](?:${name})["'\`]`,
      `\\b(?:${name})\\s*:`,
      `\\.(?:${name})\\b(?!\\.js)`,
      // isSqlite, onPostgres
      `\\b(?:is|on|has|for)(?:${name})`,
      // import … from "./engine/sqlite/…"
      `["'][^"']*/(?:${name})/`,
      // dialect.name === …, executor.dialect !== …, switch (dialect.name), table[dialect.name]
      `\\b(?:dialect|engine)\\.name\\s*[=!]==?|\\bexecutor\\.dialect\\s*[=!]==?`,
      `(?:switch \\(|\\w\\[)(?:\\w+\\.)*(?:dialect|engine)\\.name\\b`,
      `\\bswitch \\((?:\\w+\\.)*executor\\.dialect\\b`,
    ].join("|"),
    "i",
  );
  return withoutComments(source)
    .split("\n")
    .flatMap((code, index) => (asks.test(code) ? [{ file, line: index + 1, code: code.trim() }] : []));
}

/** Keeps the lines where they are. */
function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, "")).replaceAll(/^(\s*)\/\/.*$/gm, "$1");
}

/** All places in a folder, but those in `allowed` files. */
export function namesIn(folder: string, engines: readonly string[], allowed: readonly string[]): readonly NamedPlace[] {
  return sharedSources(folder, engines)
    .filter((file) => !allowed.includes(file))
    .flatMap((file) => findNames(file, readFileSync(file, "utf8"), engines));
}
