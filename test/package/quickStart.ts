import { readFileSync } from "node:fs";

/** A program of the README, as its readers copy it. */
export interface QuickStart {
  readonly code: string;
  /** Packages that it imports, without restwright itself and what is part of Node. */
  readonly packages: readonly string[];
}

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/**
 * The program of the README for a host: that for Express, or the same with the lines of the host's row in the table below it.
 *
 * @throws {Error} when there is none
 */
export function readQuickStart(host: string): QuickStart {
  const express = /^<!-- quickstart: express -->\n+```js\n([\s\S]*?)^```/m.exec(readme)?.[1];
  if (express === undefined) throw new Error(`README.md has no "<!-- quickstart: express -->" above a js block.`);
  const code = host === "express" ? express : forHost(express, host);
  return { code, packages: importedPackages(code).filter((name) => name !== "restwright") };
}

/**
 * The line in the block of the shell below `<!-- quickstart: name -->`.
 *
 * @throws {Error} when there is none, or more than one
 */
export function readLine(name: string): string {
  const [, line] = new RegExp(`^<!-- quickstart: ${name} -->\n\`\`\`sh\n([^\n]+)\n\`\`\`$`, "m").exec(readme) ?? [];
  if (line === undefined) throw new Error(`README.md has no "<!-- quickstart: ${name} -->" above a block of one line.`);
  return line;
}

function forHost(express: string, host: string): string {
  const [, table = ""] = readme.split("<!-- quickstart: others -->\n");
  const row = table
    .split("\n\n", 1)[0]
    ?.split("\n")
    .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "")))
    .find(([name = ""]) => name.toLowerCase().startsWith(host));
  if (row === undefined) throw new Error(`README.md has no row for ${host} below "<!-- quickstart: others -->".`);
  const [imports = "", mount = ""] = row.slice(1).map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, line]) => `${line}\n`).join(""));
  const shared = express.split("\n").filter((line) => !/\bexpress/i.test(line) && !line.startsWith("app."));
  return `${imports}${shared.join("\n")}${mount}`;
}

/** `restwright/sqlite` → `restwright`, `@hono/node-server` as it is. */
function importedPackages(code: string): string[] {
  const specifiers = [...code.matchAll(/^import .*? from "([^"]+)";$/gm)].map(([, specifier = ""]) => specifier);
  const names = specifiers.filter((specifier) => !specifier.startsWith("node:")).map(packageName);
  return [...new Set(names)];
}

function packageName(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
