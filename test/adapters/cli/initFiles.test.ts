// @slow

import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { hosts, languages, type ProjectPlan, stores } from "../../../adapters/cli/init/choices.js";
import { projectFiles } from "../../../adapters/cli/init/projectFiles.js";
import { hasSqlite } from "../../../adapters/cli/init/template/manifest.js";
import { versions } from "../../../adapters/cli/init/versions.js";
import manifest from "../../../package.json" with { type: "json" };
import { temporaryFolder } from "../../tools/temporary.js";

const run = promisify(execFile);
const biome = fileURLToPath(new URL("../../../node_modules/.bin/biome", import.meta.url));

const plans = hosts.flatMap((host) =>
  stores.flatMap((store) =>
    languages.map((language): ProjectPlan => ({ host, store, language, name: "tasks", restwright: "^1.0.0", nodeVersion: "20.19.0" })),
  ),
);

const manifestOf = (plan: Partial<ProjectPlan>) => {
  const [first] = plans;
  if (first === undefined) throw new Error("There is no plan.");
  return JSON.parse(projectFiles({ ...first, ...plan }).find(({ path }) => path === "package.json")?.text ?? "");
};

test("The files of all projects are formatted, in lines of at most 80 columns, and have no fault for the linter", async () => {
  const folder = temporaryFolder();
  for (const plan of plans)
    for (const { path, text } of projectFiles(plan)) {
      const file = join(folder, plan.host, plan.store, plan.language, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  writeFileSync(join(folder, "biome.json"), '{ "formatter": { "indentStyle": "space", "lineWidth": 80 } }\n');
  const { stdout, stderr } = await run(biome, ["ci", "--colors=off", "--error-on-warnings", "."], { cwd: folder });
  // A README.md and a .gitignore each are not counted, biome.json is.
  expect(Number(/Checked (\d+) files/.exec(stdout + stderr)?.[1])).toBeGreaterThan(16 * 7);
});

test("A README.md is about a page", () => {
  for (const plan of plans) {
    const text = projectFiles(plan).find(({ path }) => path === "README.md")?.text ?? "";
    expect(text.split("\n").length).toBeLessThan(75);
    expect(text).not.toMatch(/undefined|\$\{/);
  }
});

test("The versions of packages are those that this release is tested with", () => {
  const tested: Readonly<Record<string, string>> = manifest.devDependencies;
  expect(versions).toEqual(Object.fromEntries(Object.keys(versions).map((name) => [name, tested[name]])));
});

test("A project on SQLite has a driver only if it is made on a Node without one", () => {
  expect(["20.19.0", "22.12.0", "22.13.0", "24.0.0"].map(hasSqlite)).toEqual([false, false, true, true]);
  const [before, since] = ["22.12.0", "22.13.0"].map((nodeVersion) => manifestOf({ nodeVersion }));
  expect([before.engines, "libsql" in before.dependencies]).toEqual([{ node: ">=20.19" }, true]);
  expect([since.engines, "libsql" in since.dependencies]).toEqual([{ node: ">=22.13" }, false]);
  expect(manifestOf({ store: "postgres", nodeVersion: "24.0.0" }).engines).toEqual({ node: ">=20.19" });
});
