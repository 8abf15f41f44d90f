import { readFileSync } from "node:fs";

/** A program of the README, as its readers copy it. */
export interface QuickStart {
  readonly code: string;
  /** Packages that it imports, without restwright itself and what is part of Node. */
  readonly packages: readonly string[];
}

/**
 * The program below the marker `<!-- quickstart: host -->`.
 *
 * @throws {Error} when there is none
 */
export function readQuickStart(host: string): QuickStart {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const marked = new RegExp(`^<!-- quickstart: ${host} -->\\n+\`\`\`[jt]s\\n([^]*?)^\`\`\``, "m");
  const code = marked.exec(readme)?.[1];
  if (code === undefined) throw new Error(`README.md has no "<!-- quickstart: ${host} -->" above a js or ts block.`);
  return { code, packages: importedPackages(code).filter((name) => name !== "restwright") };
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
