import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { importRules } from "./importRules.js";
import { maps } from "./map.js";
import { bundleOf, entries, specifierOf } from "./rooms.js";

/** Texts that are made of `rooms.json`, by the file that has them. The rest of a file stays as it is. */
export const generated: Readonly<Record<string, (current: string) => string>> = {
  // One line a rule, so that a difference shows which.
  "biome.rooms.json": () =>
    `{\n  "overrides": [\n${importRules()
      .map((rule) => `    ${JSON.stringify(rule)}`)
      .join(",\n")}\n  ]\n}\n`,
  "docs/architecture.md": (current) =>
    [...maps()].reduce(
      (text, [name, table]) => replaced(text, new RegExp(`(?<=<!-- ${name} of rooms\\.json -->\n\n).*?(?=\n\n<!-- end -->)`, "s"), table),
      current,
    ),
  "package.json": (current) => `${JSON.stringify({ ...JSON.parse(current), exports: exportsOfPackage() }, null, 2)}\n`,
  "tsconfig.json": (current) =>
    replaced(
      current,
      /(?<="paths": \{\n).*?(?=\n {4}\})/s,
      [...entries].map(([entry, source]) => `      "${specifierOf(entry)}": ["./${source}"]`).join(",\n"),
    ),
};

/**
 * The text of a file of the repository; empty if there is none.
 *
 * @param file its path from the root
 */
export function readGenerated(file: string): string {
  try {
    return readFileSync(pathOf(file), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  }
}

/** The path of a file of the repository. */
export const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

/** Declarations are below the path of their source; `tsup.config.ts` writes those of CommonJS by the name of the bundle. */
function exportsOfPackage(): Record<string, object> {
  const targets = [...entries].map(([entry, source]) => {
    const bundle = bundleOf(entry);
    const code = `./dist/${bundle}.js`;
    const conditions = {
      import: { types: `./dist/types/${source.replace(/\.ts$/, ".d.ts")}`, default: code },
      require: { types: `./dist/types/${bundle}.d.cts`, default: code },
    };
    return [entry === "." ? "." : `./${entry}`, conditions] as const;
  });
  return Object.fromEntries(targets);
}

function replaced(text: string, pattern: RegExp, part: string): string {
  if (!pattern.test(text)) throw new Error(`No text matches ${pattern}, where a part that is made of rooms.json belongs.`);
  return text.replace(pattern, () => part);
}
